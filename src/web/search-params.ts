/** What stands behind the `?` of an address: plain texts, no more than one of a name. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

/** The same the other way; what is empty or undefined is left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** Takes the known names from an address and drops the others. */
export function pick<Name extends string>(...names: readonly Name[]): (raw: Record<string, unknown>) => Picked<Name> {
  return (raw) => {
    const picked: { [N in Name]?: string } = {}
    for (const name of names) {
      const value = raw[name]
      if (typeof value === 'string' && value !== '') picked[name] = value
    }
    return picked
  }
}

type Picked<Name extends string> = { readonly [N in Name]?: string | undefined }
