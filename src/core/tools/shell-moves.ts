/** What a command did to a path: moved it to another, perhaps into a folder there, or removed it. */
export interface PathMove {
  readonly from: string
  /** `null` where it was removed. */
  readonly to: string | null
}

/**
 * The moves and removals that a shell command that succeeded shows beyond doubt: `mv`, `git mv`, `rm` and `git rm` with plain words,
 * joined by `&&` up to its end, from a folder that is known. Whatever needs a shell to be understood is passed over.
 */
export function movesIn(command: string, cwd: string): readonly PathMove[] {
  if (command.includes('<<')) return []
  const pieces = lastList(command)
  const moves: PathMove[] = []
  let folder: string | undefined = cwd
  for (const piece of pieces ?? []) {
    const words = plainWords(piece)
    const name = words?.[0]
    if (name === undefined || words === undefined) {
      // What a piece that is not plain did is not known; only where it stays matters.
      if (/\b(?:cd|pushd|popd)\b/.test(piece)) folder = undefined
    } else if (name === 'cd')
      folder = folder !== undefined && words.length === 2 ? pathFrom(folder, words[1] as string) : undefined
    else if (folder !== undefined) moves.push(...moveOf(words, folder))
  }
  return moves
}

/** A path as it is named from a folder, without dots. */
export function pathFrom(folder: string, path: string): string {
  const names: string[] = []
  for (const name of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return `/${names.join('/')}`
}

/** Where a path is after a move, or was before it: `undefined` where the move has nothing to do with it. A target may be a folder. */
export function sourcesOf(path: string, { from, to }: PathMove): readonly string[] {
  if (to === null) return []
  const inFolder = `${to}/${from.slice(from.lastIndexOf('/') + 1)}`
  return [restBelow(path, inFolder), restBelow(path, to)].flatMap((rest) => (rest === undefined ? [] : [from + rest]))
}

/** Whether a path was taken away by a move or a removal. */
export function isTaken(path: string, { from }: PathMove): boolean {
  return restBelow(path, from) !== undefined
}

function restBelow(path: string, folder: string): string | undefined {
  return path === folder || path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined
}

/** The pieces of the last list of a command: its success is that of all of them. */
function lastList(command: string): readonly string[] | undefined {
  let pieces: string[] = []
  let piece = ''
  let quote = ''
  for (let i = 0; i < command.length; i++) {
    const sign = command.charAt(i)
    if (sign === '\\' && quote !== "'") piece += sign + command.charAt(++i)
    else if (quote !== '') {
      piece += sign
      if (sign === quote) quote = ''
    } else if (sign === "'" || sign === '"') {
      quote = sign
      piece += sign
    } else if (sign === ';' || sign === '\n') {
      const rest = command.slice(i + 1)
      if (rest.trim() === '') break
      pieces = []
      piece = ''
    } else if (sign === '&') {
      if (command.charAt(++i) !== '&') return undefined
      pieces.push(piece)
      piece = ''
    } else if (sign === '|' && command.charAt(i + 1) === '|') return undefined
    else piece += sign
  }
  return quote === '' ? [...pieces, piece] : undefined
}

/** The words of a piece; `undefined` where a shell would make something else of them. */
function plainWords(piece: string): readonly string[] | undefined {
  const words: string[] = []
  const word = /\s*((?:[^\s'"\\$`*?[\]{}()<>|~#!=]|'[^']*'|"[^"\\$`]*"|\\[^\n])+)/y
  while (word.lastIndex < piece.trimEnd().length) {
    const found = word.exec(piece)
    if (!found) return undefined
    words.push((found[1] as string).replace(/'([^']*)'|"([^"]*)"|\\(.)/gs, (_, a, b, c) => a ?? b ?? c))
  }
  return words
}

function moveOf(words: readonly string[], folder: string): readonly PathMove[] {
  const isGit = words[0] === 'git'
  const [name, ...rest] = isGit ? words.slice(1) : words
  if (name !== 'mv' && name !== 'rm') return []
  const ended = rest.indexOf('--')
  const flags = rest.filter((one, i) => one.startsWith('-') && (ended === -1 || i < ended))
  if (flags.some((flag) => !/^-[finvkrRqd]+$/.test(flag))) return []
  const paths = rest.filter((one, i) => (ended === -1 ? !one.startsWith('-') : i > ended || !one.startsWith('-')))
  const whole = paths.map((path) => pathFrom(folder, path))
  if (name === 'rm') return whole.map((from) => ({ from, to: null }))
  const to = whole.at(-1)
  return to === undefined || whole.length < 2 ? [] : whole.slice(0, -1).map((from) => ({ from, to }))
}
