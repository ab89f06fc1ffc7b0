import { Link } from '../routing.tsx'
import { countText, fineMoneyText, moneyText, tokensText } from './words.ts'

/** What something costs at API prices, with the way to its receipt. A dash where there is no price. */
export function Money(props: {
  readonly usd: number | null | undefined
  /** What explains it: a session, an agent, a day, a message. */
  readonly receipt?: string | undefined
  /** It is a share or an average of what the receipt comes to. */
  readonly isPart?: boolean
  /** With more places, for what costs less than a cent. */
  readonly isFine?: boolean
  readonly className?: string
}) {
  const { usd, receipt, className = '' } = props
  const isKnown = usd !== null && usd !== undefined
  const text = props.isFine ? fineMoneyText(usd) : moneyText(usd)
  if (isKnown && receipt !== undefined) {
    return (
      <Link
        to="/usage/receipt/$id"
        params={{ id: receipt }}
        className={`tabular-nums underline decoration-line underline-offset-3 hover:decoration-current ${className}`}
        title={`The receipt${props.isPart ? ' of the whole' : ''}: tokens × price. API prices, not your invoice`}
      >
        {text}
      </Link>
    )
  }
  return (
    <span
      className={`tabular-nums ${isKnown ? '' : 'text-muted'} ${className}`}
      title={isKnown ? 'API prices, not your invoice' : 'Not known'}
    >
      {text}
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
