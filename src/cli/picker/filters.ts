/** A word that filters, such as `since:7d`: the flag of that name, and what it is given. */
export interface Filter {
  readonly name: string
  readonly value: string
}

/** What was typed, taken apart. */
export interface Asked {
  /** What is looked for. */
  readonly words: string
  /** Which sessions, and which of their rows, are looked at. */
  readonly filters: readonly Filter[]
}

/** Words that choose sessions; each is the flag of `sessions` that is called so. */
const OF_SESSIONS = ['project', 'under', 'since', 'until', 'git-branch', 'has', 'tag', 'min-cost', 'cost']
/** Words that choose what is looked at in them; each is the flag of `search` that is called so. */
const OF_ROWS = ['role', 'kind', 'tool', 'model', 'agent', 'file']
/** What `is:` may be followed by; each is the flag of `sessions` that is called so. */
const IS = ['starred', 'trivial']
const SHORT: Readonly<Record<string, string>> = { branch: 'git-branch' }
const NAMES = new Set([...OF_SESSIONS, ...OF_ROWS, ...Object.keys(SHORT)])

/** Whether a filter chooses among what is said in sessions, so that no title can fit it. */
export function isOfRows({ name }: Filter): boolean {
  return OF_ROWS.includes(name)
}

/** Takes `project:api since:7d "two tabs"` apart. A word with any other name before its colon is a word. */
export function askedBy(text: string): Asked {
  const filters: Filter[] = []
  const words = text.replace(FILTER, (whole, space: string, name: string, quoted?: string, plain?: string) => {
    const value = quoted ?? plain ?? ''
    if (name === 'is' && IS.includes(value)) filters.push({ name: value, value: 'true' })
    if (name === 'is') return IS.includes(value) || value === '' ? space : whole
    if (!NAMES.has(name)) return whole
    // One without a value is still being typed.
    if (value !== '') filters.push({ name: SHORT[name] ?? name, value })
    return space
  })
  return filters.length === 0 && words === text ? { words: text, filters } : { words: words.trimStart(), filters }
}

const FILTER = /(^|\s)([a-z-]+):(?:"([^"]*)"?|(\S*))/g

/** What `cost:` is given: `>5`, `<0.50`, `5` or `>=5`, with or without `$`; as a test for an amount. */
export function costTest(value: string): ((usd: number | null) => boolean) | undefined {
  const [, sign = '', digits] = /^([<>]?=?)\$?(\d+(?:\.\d+)?)$/.exec(value) ?? []
  if (digits === undefined) return undefined
  const limit = Number(digits)
  return (usd) => {
    if (usd === null) return false
    if (sign === '>') return usd > limit
    if (sign === '<') return usd < limit
    return sign === '<=' ? usd <= limit : sign === '=' ? usd.toFixed(2) === limit.toFixed(2) : usd >= limit
  }
}
