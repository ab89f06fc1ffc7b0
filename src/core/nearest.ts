/** The word that a mistyped one was probably meant to be; `undefined` where none is near. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(typed.length / 3))
  const near = words.map((word) => ({ word, steps: distance(typed, word) })).filter(({ steps }) => steps <= most)
  near.sort((a, b) => a.steps - b.steps)
  return near[0]?.word
}

/** How many letters must be changed, put in, left out or swapped to come from one word to the other. */
function distance(a: string, b: string): number {
  let older: number[] = []
  let old = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((old[j] as number) + 1, (row[j - 1] as number) + 1, (old[j - 1] as number) + same)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) least = Math.min(least, (older[j - 2] as number) + 1)
      row.push(least)
    }
    older = old
    old = row
  }
  return old[b.length] as number
}
