/** Writes amounts that are shown together: cents, or finer where all of them are small. */
export function moneyOf(amounts: readonly (number | null)[]): (usd: number | null) => string {
  const known = amounts.filter((usd) => usd !== null)
  const most = known.reduce((max, usd) => Math.max(max, Math.abs(usd)), 0)
  const digits = most >= 1 || most === 0 ? 2 : 4
  return (usd) => (usd === null ? 'unpriced' : `${usd < 0 ? '−' : ''}$${Math.abs(usd).toFixed(digits)}`)
}
