import { OpError } from '../api.ts'
import { Button } from './button.tsx'

/** What went wrong, as a sentence, with what to do next. */
export function ErrorBox(props: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { error } = props
  const message = error instanceof Error ? error.message : 'Something went wrong.'
  const hint = error instanceof OpError ? error.hint : undefined
  return (
    <div role="alert" className="my-4 rounded-lg border border-danger bg-danger-soft px-4 py-3">
      <p className="font-medium text-danger">{message}</p>
      {hint !== undefined && <p className="mt-1 text-sm">{hint}</p>}
      {props.onRetry && (
        <Button className="mt-2" onClick={props.onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}
