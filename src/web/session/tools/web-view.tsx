import { resultText } from '../../../core/tools/tool-call.ts'
import type { ToolMeaning } from '../../../core/tools/tool-meaning.ts'
import { Markdown } from '../../markdown.tsx'
import { FoldedText } from '../folded-text.tsx'
import { LONGEST_LINE } from '../long-lines.tsx'
import type { ToolCall } from '../types.ts'
import { readable } from '../visible.ts'
import { WebLink } from './web-link.tsx'

/** A page that was fetched: where, what was asked of it, and what came back. */
export function FetchView({ call, meaning }: { call: ToolCall; meaning: ToolMeaning & { kind: 'fetch' } }) {
  return (
    <div className="space-y-2 px-3 py-2">
      <p>
        <WebLink url={meaning.url} />
      </p>
      {meaning.asked !== null && <p className="whitespace-pre-wrap text-muted">{readable(meaning.asked)}</p>}
      <Answer call={call} text={resultText(call)} />
    </div>
  )
}

/** What a search of the web found: addresses, then what was made of them. */
export function WebSearchView({ call, meaning }: { call: ToolCall; meaning: ToolMeaning & { kind: 'web-search' } }) {
  return (
    <div className="space-y-2 px-3 py-2">
      <ul className="list-disc space-y-1 pl-5">
        {meaning.links.map(({ url, title }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the links of a result never move
          <li key={at}>
            <WebLink url={url} title={title ?? undefined} />
            <span className="block text-xs break-all text-muted">{readable(url, LONGEST_LINE)}</span>
          </li>
        ))}
      </ul>
      <Answer call={call} text={meaning.said} />
    </div>
  )
}

function Answer({ call, text }: { call: ToolCall; text: string }) {
  if (text.trim() === '') return null
  return (
    <FoldedText id={call.id} text={text}>
      {(shown) => <Markdown text={shown} />}
    </FoldedText>
  )
}
