import { Fragment } from 'react'

/** A text with some of its parts marked. Offsets are those of the text itself; whatever it holds stays text. */
export function Marked(props: { readonly text: string; readonly matches: readonly (readonly [number, number])[] }) {
  const { text } = props
  const parts: { readonly from: number; readonly plain: string; readonly marked: string }[] = []
  let end = 0
  for (const [from, to] of props.matches) {
    if (from < end || to <= from || to > text.length) continue
    parts.push({ from, plain: text.slice(end, from), marked: text.slice(from, to) })
    end = to
  }
  return (
    <>
      {parts.map(({ from, plain, marked }) => (
        <Fragment key={from}>
          {plain}
          <mark>{marked}</mark>
        </Fragment>
      ))}
      {text.slice(end)}
    </>
  )
}
