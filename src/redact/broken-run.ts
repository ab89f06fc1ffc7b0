/**
 * Whether a run of token characters goes on behind a line break or an escape, and is at least so long in all: cheap to
 * ask, and where it is not so, nothing that is wrapped or escaped can stand here.
 */
export function isBrokenRun(text: string, at: number, shortest: number): boolean {
  if (isAfterEscape(text, at)) return true
  let count = 0
  let breaks = 0
  for (let end = at; count < shortest || breaks === 0; ) {
    if (end - at > FARTHEST) return false
    const code = text.charCodeAt(end)
    if (isTokenChar(code)) {
      count++
      end++
    } else {
      const next = breaks < MOST_BREAKS ? breakEnd(text, end, code) : end
      if (next === end) return false
      breaks++
      end = next
    }
  }
  return true
}

/** The same for a secret that begins before its keyword. */
export function isBrokenAround(text: string, at: number): boolean {
  let start = at
  for (let breaks = 0; at - start < FARTHEST_BACK; ) {
    if (isTokenChar(text.charCodeAt(start - 1))) start--
    else if (breaks++ < MOST_BREAKS && isLineBreak(text.charCodeAt(start - 1))) start--
    else break
  }
  return isBrokenRun(text, start, SHORTEST)
}

/** The same for a secret that stands some words behind its keyword: `Authorization: Bearer …`. */
export function isBrokenNear(text: string, at: number): boolean {
  const near = text.slice(Math.max(0, at - 10), at + FARTHEST)
  return /[\\%\r\n]/.test(near)
}

const SHORTEST = 24
const MOST_BREAKS = 4
const FARTHEST = 400
const FARTHEST_BACK = 96

/** Whether an escape (`\n`, `%20`, `\u001b`, `[1m`) ends where the keyword begins: its last letter only seems to precede it. */
function isAfterEscape(text: string, at: number): boolean {
  if (text.charCodeAt(at - 2) === BACKSLASH || text.charCodeAt(at - 3) === PERCENT) return true
  if (text.charCodeAt(at - 6) === BACKSLASH && text[at - 5] === 'u') return true
  return text[at - 1] === 'm' && /\[[0-9;]{0,9}m$/.test(text.slice(Math.max(0, at - 12), at))
}

const BACKSLASH = 92
const PERCENT = 37

/** Where the text goes on behind a line break with its indent, or an escape; `at` where there is neither. */
function breakEnd(text: string, at: number, code: number): number {
  if (code === PERCENT) return at + 3
  if (code === BACKSLASH) return at + 2
  if (!isLineBreak(code)) return at
  let end = at + 1
  while (end - at < 20 && isIndent(text.charCodeAt(end))) end++
  return end
}

function isLineBreak(code: number): boolean {
  return code === 10 || code === 13
}

/** Space, and the signs of diffs and quotations. */
function isIndent(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13 || code === 62 || code === 124
}

function isTokenChar(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 64 && code <= 90) ||
    (code >= 43 && code <= 58) ||
    code === 95 ||
    code === 61 ||
    code === 126 ||
    code === 36
  )
}
