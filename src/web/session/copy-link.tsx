import { CopyButton } from '../ui/copy-button.tsx'
import { pointLink } from './point-link.ts'

/** Copies the address of a row, by its point. */
export function CopyLink({ session, uuid }: { session: string; uuid: string }) {
  return (
    <CopyButton text={() => pointLink(session, uuid)} label="Copy link to this row">
      Link
    </CopyButton>
  )
}
