import { useMemo } from 'react'
import { type CodeToken, highlightLines, useColours } from './highlight.ts'

/** One line of code, coloured. Every piece is a text node. */
export function CodeLine(props: { readonly tokens: readonly CodeToken[] }) {
  return props.tokens.map((token, i) =>
    token.className === undefined ? (
      token.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change their order
      <span key={i} className={token.className}>
        {token.text}
      </span>
    ),
  )
}

/** A block of code, coloured where its language is known, with line numbers where a first one is given. */
export function Code(props: {
  readonly text: string
  readonly language?: string | undefined
  readonly firstLine?: number
  readonly label?: string
}) {
  const hasColours = useColours()
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours come later
  const lines = useMemo(() => highlightLines(props.text, props.language), [props.text, props.language, hasColours])
  const { firstLine } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section tabIndex={0} aria-label={props.label ?? 'Code'} className="overflow-x-auto rounded-md bg-sunk px-3 py-2">
      <pre className="font-mono text-[0.8125rem] leading-5 [overflow-wrap:normal]">
        {lines.map((tokens, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change their order
          <div key={i} className="min-h-5">
            {firstLine !== undefined && (
              <span aria-hidden="true" className="mr-3 inline-block min-w-8 text-right text-muted select-none">
                {firstLine + i}
              </span>
            )}
            <CodeLine tokens={tokens} />
          </div>
        ))}
      </pre>
    </section>
  )
}
