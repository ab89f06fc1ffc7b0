import { visible } from '../session/visible.ts'

/** A sentence in which what stands in backticks is code. */
export function WithCode(props: { readonly children: string }) {
  return visible(props.children)
    .split(/`([^`]*)`/)
    .map((part, at) =>
      at % 2 === 0 ? (
        part
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
        <code key={at} className="font-mono text-[0.9em]">
          {part}
        </code>
      ),
    )
}
