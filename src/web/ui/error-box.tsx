import { OpError } from '../api.ts'
import { Button } from './button.tsx'
import { WithCode } from './with-code.tsx'

/** What went wrong, as a sentence, with what to do next. */
export function ErrorBox(props: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { error } = props
  const message = error instanceof Error ? error.message : 'Something went wrong.'
  const hint = error instanceof OpError ? error.hint : undefined
  return (
    <div role="alert" className="my-4 rounded-lg border border-danger bg-danger-soft px-4 py-3">
      <p className="font-medium text-danger">
        <WithCode>{message}</WithCode>
      </p>
      {hint !== undefined && (
        <p className="mt-1 text-sm">
          <WithCode>{hint}</WithCode>
        </p>
      )}
      {props.onRetry && (
        <Button className="mt-2" onClick={props.onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
