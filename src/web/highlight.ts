import { useSyncExternalStore } from 'react'

let highlighter: typeof import('./highlighter.ts') | undefined
let coming: Promise<void> | undefined
const waiting = new Set<() => void>()

/** Fetches what colours code. It is a third of what a session is drawn with, and many sessions begin without code. */
export function loadColours(): Promise<void> {
  coming ??= import('./highlighter.ts').then(
    (loaded) => {
      highlighter = loaded
      for (const tell of waiting) tell()
    },
    () => {
      // Plain until it is asked for again.
      coming = undefined
    },
  )
  return coming
}

/** Whether colours are here. What is drawn plain before is drawn again when they come. */
export function useColours(): boolean {
  return useSyncExternalStore(whenLoaded, () => highlighter !== undefined)
}

function whenLoaded(tell: () => void): () => void {
  waiting.add(tell)
  return () => waiting.delete(tell)
}

/** More than this is shown plain: colours are not worth a page that stands still. */
const MAX_CHARS = 100_000

/** The text as HTML with coloured spans, everything of it escaped; `undefined` where it is to be shown plain, or still is. */
export function highlightHtml(text: string, language: string): string | undefined {
  if (text.length > MAX_CHARS || language === '') return undefined
  if (!highlighter) void loadColours()
  return highlighter?.colour(text, language)
}

/** A piece of a line of code; `className` says what it is, or nothing. */
export interface CodeToken {
  readonly text: string
  readonly className?: string
}

/** The lines of a text, each in coloured pieces. Joined, they are the text again. */
export function highlightLines(text: string, language: string | undefined): readonly (readonly CodeToken[])[] {
  const html = language === undefined ? undefined : highlightHtml(text, language)
  if (html === undefined) return text.split('\n').map((line) => [{ text: line }])
  const lines: CodeToken[][] = [[]]
  const scopes: string[] = []
  for (const [piece, scope] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (scope !== undefined) scopes.push(scope)
    else if (piece === '</span>') scopes.pop()
    else {
      const className = scopes.at(-1)
      const parts = decoded(piece).split('\n')
      for (const [i, part] of parts.entries()) {
        if (i > 0) lines.push([])
        if (part !== '') lines.at(-1)?.push(className === undefined ? { text: part } : { text: part, className })
      }
    }
  }
  return lines
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#x27;', "'"],
])

function decoded(html: string): string {
  return html.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES.get(entity) ?? entity)
}

const BY_ENDING: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: 'sh bash zsh env',
    c: 'c h',
    cpp: 'cc cpp cxx hpp hh',
    csharp: 'cs',
    css: 'css',
    diff: 'diff patch',
    dockerfile: 'dockerfile',
    go: 'go',
    graphql: 'graphql gql',
    ini: 'ini toml cfg conf',
    java: 'java',
    javascript: 'js mjs cjs jsx',
    json: 'json jsonl jsonc webmanifest',
    kotlin: 'kt kts',
    lua: 'lua',
    makefile: 'makefile mk',
    markdown: 'md markdown mdx',
    php: 'php',
    python: 'py pyi',
    ruby: 'rb rake gemfile',
    rust: 'rs',
    scss: 'scss',
    sql: 'sql',
    swift: 'swift',
    typescript: 'ts tsx mts cts',
    xml: 'html htm xml svg vue svelte',
    yaml: 'yml yaml',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language] as const)),
)

/** The language of a file, by its name. */
export function languageOf(path: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1)?.toLowerCase() ?? ''
  return BY_ENDING.get(name.split('.').at(-1) ?? '')
}
