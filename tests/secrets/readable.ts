/** So many characters of a secret in a row are a leak; a shorter piece leaks when it remains whole. */
const LEAK_CHARS = 8
/** A piece so short tells nothing: it may be any word. */
export const SHORTEST_PIECE = 6

/** The part of a secret that can still be read in a masked text, also after decoding it; undefined if none can. */
export function readablePart(masked: string, pieces: readonly string[]): string | undefined {
  const views = viewsOf(masked)
  for (const piece of pieces) {
    if (piece.length < SHORTEST_PIECE) continue
    const width = Math.min(LEAK_CHARS, piece.length)
    for (let at = 0; at + width <= piece.length; at++) {
      const part = piece.slice(at, at + width)
      if (views.some((view) => view.includes(part))) return part
    }
  }
  return undefined
}

/** The text as it stands and as a reader with the usual decoders would see it, two encodings deep. */
function viewsOf(text: string): readonly string[] {
  const views = new Set([text])
  for (let depth = 0; depth < 2; depth++) {
    for (const view of [...views]) for (const decode of DECODERS) views.add(decode(view))
  }
  for (const view of [...views]) for (const decoded of base64Runs(view)) views.add(decoded)
  return [...views]
}

const DECODERS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(amp|lt|gt|quot|apos));/gi, entity),
  (text) => text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8')),
  (text) => text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, escaped),
]

function entity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
  return { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }[name?.toLowerCase() ?? ''] ?? whole
}

function escaped(_: string, unicode?: string, sign?: string): string {
  if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16))
  return { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }[sign ?? ''] ?? sign ?? ''
}

/** What each run of base64 says. A mask may have cut its beginning off, so that it is read from four places. */
function base64Runs(text: string): readonly string[] {
  const runs = text.match(/[A-Za-z0-9+/_-]{8,}/g) ?? []
  return runs.flatMap((run) => [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('latin1')))
}
