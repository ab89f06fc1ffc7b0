import { countText, fineMoneyText, moneyText, tokensText } from './words.ts'

/** What something costs at API prices. A dash where there is no price. */
export function Money(props: {
  readonly usd: number | null | undefined
  /** With more places, for what costs less than a cent. */
  readonly isFine?: boolean
  readonly className?: string
}) {
  const isKnown = props.usd !== null && props.usd !== undefined
  return (
    <span
      className={`tabular-nums ${isKnown ? '' : 'text-muted'} ${props.className ?? ''}`}
      title={isKnown ? 'API prices, not your invoice' : 'Not known'}
    >
      {props.isFine ? fineMoneyText(props.usd) : moneyText(props.usd)}
    </span>
  )
}

/** A number of tokens, shortened; the whole of it on hover. */
export function Tokens(props: { readonly count: number | null | undefined; readonly className?: string }) {
  const whole = props.count === null || props.count === undefined ? undefined : `${countText(props.count)} tokens`
  return (
    <span className={`tabular-nums ${props.className ?? ''}`} title={whole}>
      {tokensText(props.count)}
    </span>
  )
}
