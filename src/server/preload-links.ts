import type { Asset } from './assets.ts'

/** Where the first screen of the list of sessions is asked for. */
export const FIRST_SCREEN = '/api/first-screen'

/** The first page of a conversation. */
const FIRST_ROWS = { from: '0', count: '50' }

/** A page of the app: its address, the chunk that draws it, and what it asks for first. */
export interface AppPage {
  readonly path: string
  /** The name of its chunk without the hash; the first page comes with the app itself. */
  readonly chunk?: string
  /** What it asks the server for before it can show anything, where its address alone says so. */
  readonly asks?: (names: Readonly<Record<string, string>>) => string | undefined
}

/** The addresses of the app; each is the same document, which reads its address itself. */
export const PAGES: readonly AppPage[] = [
  { path: '/', asks: () => FIRST_SCREEN },
  {
    path: '/s/:session',
    chunk: 'session',
    // A point (`SESSION:UUID`) is looked up before anything is read.
    asks: ({ session = '' }) =>
      session.includes(':') ? undefined : `/api/read?${new URLSearchParams({ session, ...FIRST_ROWS })}`,
  },
  { path: '/s/:session/tree', chunk: 'tree-page' },
  { path: '/s/:session/context', chunk: 'context-page' },
  { path: '/s/:session/timeline', chunk: 'timeline-page' },
  { path: '/s/:session/files', chunk: 'session-files-page' },
  { path: '/search', chunk: 'search-page' },
  { path: '/usage', chunk: 'usage-page' },
  { path: '/usage/receipt/:id', chunk: 'receipt-page' },
  { path: '/projects', chunk: 'projects-page' },
  { path: '/prompts', chunk: 'prompts-page' },
  { path: '/plans', chunk: 'plans-page' },
  { path: '/files', chunk: 'files-page' },
  ...['todos', 'memory', 'skills', 'agents', 'archive', 'secrets', 'check'].map((name) => {
    return { path: `/${name}`, chunk: `${name}-page` }
  }),
]

/** The header that tells a browser what a page will need. */
export type PreloadLinks = (
  names: Readonly<Record<string, string>>,
  query: URLSearchParams,
) => Readonly<Record<string, string>>

/**
 * Makes the `Link` header of a page, so that the browser fetches what the page needs while the app is still starting. Where
 * the app asks for something else after all, only time is lost.
 */
export function preloadLinks({ chunk, asks }: AppPage, assets: ReadonlyMap<string, Asset>): PreloadLinks {
  const chunks = chunk === undefined ? [] : chunksOf(chunk, assets)
  return (names, query) => {
    // A query may ask for another part of it, which only the app knows.
    const wanted = query.size === 0 ? asks?.(names) : undefined
    const asked = wanted === undefined ? [] : [wanted]
    // What is asked for takes the longest, and a browser asks for six things at a time.
    const links = [
      ...asked.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`),
      ...chunks.map((path) => `<${path}>; rel=modulepreload`),
    ]
    return links.length === 0 ? {} : { Link: links.join(', ') }
  }
}

/** A chunk and all that it imports. */
function chunksOf(name: string, assets: ReadonlyMap<string, Asset>): readonly string[] {
  // Behind its name a chunk has eight characters of a hash; what goes on otherwise is another one.
  const isIt = new RegExp(`^/assets/${name}-[\\w-]{8}\\.js$`)
  const first = [...assets.keys()].filter((path) => isIt.test(path))
  const found = new Set(first)
  // A set grows while it is walked: what is imported is looked at in its turn.
  for (const path of found) {
    const text = new TextDecoder().decode(assets.get(path)?.body)
    for (const [, imported] of text.matchAll(/\b(?:from|import)"\.\/([\w.-]+\.js)"/g)) found.add(`/assets/${imported}`)
  }
  return [...found].filter((path) => assets.has(path))
}
