/** How many tokens a model's window holds: a million where its name says so or more than the usual was in it. */
export function windowOf(model: string | null, mostTokens = 0): number {
  return /\[1m\]/i.test(model ?? '') || mostTokens > USUAL ? LARGE : USUAL
}

const USUAL = 200_000
const LARGE = 1_000_000
