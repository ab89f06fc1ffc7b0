import { useMemo } from 'react'
import { pathFrom } from '../call-words.ts'
import { LONGEST_LINE, LongLines } from '../long-lines.tsx'
import type { ToolCall } from '../types.ts'
import { readable, visible } from '../visible.ts'

/** What Grep, Glob or LS found, a line each; of a hit inside a file, where it stands is set apart. */
export function ListView({ call, folder }: { call: ToolCall; folder: string | null }) {
  const lines = useMemo(() => (call.result ?? '').trim().split('\n'), [call.result])
  return (
    <div className="overflow-x-auto py-2 font-mono text-[0.8125rem] leading-5">
      <LongLines id={call.id} lines={lines} textOf={(line) => line}>
        {(line) => <Hit line={line} folder={folder} />}
      </LongLines>
    </div>
  )
}

function Hit({ line, folder }: { line: string; folder: string | null }) {
  const [, path, number, text] = /^([^:\s][^:]{0,500}):(\d{1,9}):(.*)$/s.exec(line) ?? []
  if (path === undefined) {
    return (
      <div className="min-h-5 whitespace-pre-wrap break-words px-3">
        {readable(pathFrom(folder, line), LONGEST_LINE)}
      </div>
    )
  }
  return (
    <div className="min-h-5 whitespace-pre-wrap break-words px-3">
      <span className="text-muted">
        {visible(pathFrom(folder, path))}:{number}{' '}
      </span>
      {readable(text ?? '', LONGEST_LINE)}
    </div>
  )
}
