import { useState } from 'react'
import { isObject } from '../../core/json.ts'
import { useOp } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { bytesText } from '../ui/words.ts'
import { OpenStateProvider } from './open-state.tsx'
import type { RawPlace } from './session-context.tsx'
import { JsonView } from './tools/json-view.tsx'

/** The record that a row was made from, as it stands in the log, and where. */
export function RawDialog({ place, onClose }: { place: RawPlace; onClose: () => void }) {
  const [openState] = useState(() => new Map<string, boolean>())
  const { data, error } = useOp('record', { file: place.file, offset: place.offset })
  const where = `${data?.file ?? place.file}:${data?.line ?? place.line}`
  return (
    <Dialog label="Raw record" onClose={onClose} className="w-[min(60rem,calc(100vw-2rem))]! mt-[6dvh]! max-h-[88dvh]!">
      <div className="flex max-h-[88dvh] flex-col">
        <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
          <h2 className="font-semibold">Raw record</h2>
          {data && <span className="text-sm text-muted">{data.type}</span>}
          <span className="ml-auto flex gap-1">
            {data && <CopyButton text={data.text} label="Copy the record as it stands" />}
            <Button look="quiet" aria-label="Close" onClick={(event) => event.currentTarget.closest('dialog')?.close()}>
              ✕
            </Button>
          </span>
          <p className="w-full font-mono text-xs break-all text-muted">
            {where}
            {data && ` · byte ${data.offset.toLocaleString('en')}, ${bytesText(data.length)}`}
          </p>
        </div>
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          tabIndex={0}
          aria-label="The record"
          className="min-h-24 overflow-auto"
        >
          {error && <ErrorBox error={error} />}
          {!data && !error && <Loading rows={8} />}
          <OpenStateProvider state={openState}>
            {data && isObject(data.raw) && <JsonView id={place.uuid} value={data.raw} openTo={6} />}
            {data?.withheld && (
              <p className="px-4 pt-2 text-sm text-muted">The client's own system prompt is left out here.</p>
            )}
            {data && !isObject(data.raw) && (
              <pre className="px-4 py-2 font-mono text-[0.8125rem] break-words whitespace-pre-wrap">{data.text}</pre>
            )}
          </OpenStateProvider>
        </section>
      </div>
    </Dialog>
  )
}
