import { isObject } from './json.ts'

/** The strings of a value in its order, without recursion: the depth of a value is not ours to trust. */
export function* stringsIn(value: unknown): Generator<string> {
  const rest: unknown[] = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === 'string') yield next
    else if (Array.isArray(next)) for (let i = next.length - 1; i >= 0; i--) rest.push(next[i])
    else if (isObject(next)) for (const field of Object.values(next).reverse()) rest.push(field)
  }
}
