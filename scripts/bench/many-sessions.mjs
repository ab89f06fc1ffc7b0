const WORDS =
  'token refresh race login tests queue postgres cache index parser tree deadlock migration schema button chart docs changelog release retry backoff socket worker thread pool'.split(
    ' ',
  )
const ODD = ['日本語の認証を直す', 'إصلاح رمز الوصول', '👩‍💻 emoji 🚀 title', 'a very long title '.repeat(20)]

/** Writes a root of many small sessions, as years of work leave them. */
export function sessionsRoot(path, count, { log, newRoot }) {
  let seed = 7
  const word = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return WORDS[seed % WORDS.length]
  }
  const root = newRoot()
  const now = Date.now()
  for (let at = 0; at < count; at++) {
    const id = `${(at + 0x10000000).toString(16)}-0000-4000-8000-${String(at).padStart(12, '0')}`
    const cwd = `/home/ana/${['api', 'web', 'infra', 'docs'][at % 4]}`
    const startedAt = new Date(now - at * 3_600_000).toISOString()
    let made = log({ cwd, sessionId: id, seed: `s${at}`, startedAt, gitBranch: ['main', 'fix/race'][at % 2] })
      .user(`please ${word()} the ${word()} ${word()}`)
      .assistant(`Looking at ${word()} and ${word()}: ${word()} ${word()}`)
    for (let turn = 0; turn < 3; turn++) {
      made = made
        .user(`${word()} ${word()} now`)
        .tool('Bash', { command: `npm run ${word()}` }, { output: `${word()} ok ${word()}`, isError: at % 9 === 0 })
        .assistant(`Done: ${word()} ${word()}.`)
    }
    root.add(made.title(ODD[at] ?? `${word()} ${word()} ${word()} ${at}`))
  }
  root.write(path)
}

/** The value that this part of all does not exceed. */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}
