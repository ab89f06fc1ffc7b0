/** A secret that was found, without itself. */
export interface Finding {
  readonly kind: string
  readonly placeholder: string
  /** Where it stood in its string, in UTF-16 units. */
  readonly from: number
  readonly to: number
  /** In a JSON value: the way to its string, such as `message.content[0].text`. */
  readonly path: string
}

/** The text with a placeholder for each finding, which are in order. */
export function replaced(text: string, found: readonly Finding[]): string {
  let result = ''
  let last = 0
  for (const { from, to, placeholder } of found) {
    result += text.slice(last, from) + placeholder
    last = to
  }
  return result + text.slice(last)
}
