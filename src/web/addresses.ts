import { FILTERS } from './search/filter-names.ts'

/** The addresses of the app, each with the names that may stand behind its `?`. */
export const ADDRESSES = {
  '/': ['project', 'q', 'since', 'all', 'trivial', 'starred', 'tag', 'sort'],
  '/search': ['q', ...FILTERS, 'sort'],
  '/usage': ['by', 'since', 'until', 'project', 'show', 'stack', 'of', 'at'],
  '/usage/receipt/$id': ['sort'],
  '/projects': ['sort'],
  '/prompts': ['q', 'project'],
  '/plans': ['session', 'project', 'plan'],
  '/files': ['path', 'project', 'reads', 'open'],
  '/todos': ['q', 'project', 'show', 'open'],
  '/memory': ['q', 'project', 'open'],
  '/skills': ['q', 'show', 'open'],
  '/agents': ['q', 'project', 'show', 'sort', 'open'],
  '/archive': ['q', 'show', 'open'],
  '/secrets': ['q', 'show', 'open'],
  '/check': [],
  '/s/$session': ['branch', 'at', 'q', 'hits', 'top', 'open'],
  '/s/$session/tree': ['branch'],
  '/s/$session/context': ['branch'],
  '/s/$session/timeline': ['branch'],
  '/s/$session/files': ['path', 'reads', 'open'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** An address of the app: `$name` stands for what is filled in. */
export type Address = keyof typeof ADDRESSES

/** What stands behind the `?` of an address. */
export type Search<A extends Address> = {
  readonly [Name in (typeof ADDRESSES)[A][number]]?: string | undefined
}

/** What is filled in for the names of an address. */
export type Params<A extends string> = { readonly [Name in ParamNames<A>]: string }

type ParamNames<A extends string> = A extends `${string}$${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : A extends `${string}$${infer Name}`
    ? Name
    : never

/** Where one is: which address, and what it was filled in with. */
export interface Place {
  readonly address: Address | undefined
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly search: Readonly<Record<string, string>>
}

/** Reads an address of the browser. What nobody knows behind its `?` is dropped. */
export function placeOf(path: string, query: string): Place {
  const given = new URLSearchParams(query)
  for (const [address, names] of Object.entries(ADDRESSES) as [Address, readonly string[]][]) {
    const params = paramsOf(address, path)
    if (!params) continue
    const search = names.flatMap((name) => (given.get(name) ? [[name, given.get(name) as string]] : []))
    return { address, path, params, search: Object.fromEntries(search) }
  }
  return { address: undefined, path, params: {}, search: {} }
}

function paramsOf(address: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [address.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, name] of wanted.entries()) {
    const part = given[i] as string
    if (!name.startsWith('$')) {
      if (name !== part) return undefined
    } else if (part === '') return undefined
    else params[name.slice(1)] = decoded(part)
  }
  return params
}

/** A percent sign that stands for nothing stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Writes an address for the browser; what is empty or undefined behind its `?` is left out. */
export function hrefOf(
  address: string,
  params: Readonly<Record<string, string>>,
  search: Readonly<Record<string, unknown>>,
): string {
  const path = address.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '')
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as [string, string][])}`
}
