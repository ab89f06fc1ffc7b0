import { isObject, type JsonObject, parseJson, stringAt, textAt } from '../../../core/json.ts'
import { Markdown } from '../../markdown.tsx'
import { FoldedText } from '../folded-text.tsx'
import type { ToolCall } from '../tool-call.ts'
import { WebLink } from './web-link.tsx'

/** A page that was fetched: where, what was asked of it, and what came back. */
export function FetchView({ call }: { call: ToolCall }) {
  const url = stringAt(call.input, 'url') ?? ''
  const asked = textAt(call.input, 'prompt')
  return (
    <div className="space-y-2 px-3 py-2">
      <p>
        <WebLink url={url} />
      </p>
      {asked !== undefined && <p className="whitespace-pre-wrap text-muted">{asked}</p>}
      <Answer call={call} text={call.result ?? ''} />
    </div>
  )
}

/** What a search of the web found: addresses, then what was made of them. */
export function WebSearchView({ call }: { call: ToolCall }) {
  const { links, rest } = linksOf(call.result ?? '')
  return (
    <div className="space-y-2 px-3 py-2">
      <ul className="list-disc space-y-1 pl-5">
        {links.map((link, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the links of a result never move
          <li key={at}>
            <WebLink url={stringAt(link, 'url') ?? ''} title={textAt(link, 'title')} />
            <span className="block text-xs break-all text-muted">{stringAt(link, 'url')}</span>
          </li>
        ))}
      </ul>
      <Answer call={call} text={rest} />
    </div>
  )
}

function Answer({ call, text }: { call: ToolCall; text: string }) {
  if (text.trim() === '') return null
  return (
    <FoldedText id={call.id} text={text}>
      <Markdown text={text} />
    </FoldedText>
  )
}

/** The client writes what was found as `Links: [{"title":…,"url":…}]`, on a line of its own. */
function linksOf(result: string): { readonly links: readonly JsonObject[]; readonly rest: string } {
  const links: JsonObject[] = []
  const rest = result.split('\n').filter((line) => {
    const found = line.startsWith('Links: ') ? parseJson(line.slice('Links: '.length)) : undefined
    if (!Array.isArray(found)) return true
    links.push(...found.filter(isObject))
    return false
  })
  return { links, rest: rest.join('\n') }
}
