/** A line of `git blame --porcelain`. */
export interface PorcelainLine {
  readonly commit: string
  readonly original: number
  readonly line: number
  readonly header: Readonly<Record<string, string>>
  readonly content: string
}

const FIELDS = new Set([
  ...['author', 'committer'].flatMap((who) => [who, `${who}-mail`, `${who}-time`, `${who}-tz`]),
  'summary',
  'filename',
  'previous',
  'boundary',
])

/**
 * Reads the format as git's manual has it ("The porcelain format" of git-blame): a line of 40 hex digits, the line in the original
 * file, the line in the final file and, for the first of a group, the length of the group; a header at least once for each commit; the
 * contents behind a TAB. Whatever else stands there is refused.
 */
export function readPorcelain(text: string): readonly PorcelainLine[] {
  const headers = new Map<string, Record<string, string>>()
  const lines: PorcelainLine[] = []
  const input = text.split('\n')
  if (input.pop() !== '') throw new Error('does not end with a newline')
  let left = 0
  for (let at = 0; at < input.length; ) {
    const [, commit, original, line, group] = /^([0-9a-f]{40}) (\d+) (\d+)(?: (\d+))?$/.exec(input[at++] ?? '') ?? []
    if (commit === undefined) throw new Error(`no line of a commit: ${input[at - 1]}`)
    if ((left === 0) !== (group !== undefined)) throw new Error('a group begins or ends where it must not')
    if (left === 0) left = Number(group)
    else if (commit !== lines.at(-1)?.commit) throw new Error('a group has one commit')
    const isKnown = headers.has(commit)
    const header = headers.get(commit) ?? {}
    headers.set(commit, header)
    for (; !input[at]?.startsWith('\t'); at++) {
      const [, name = '', value = ''] = /^([a-z-]+)(?: (.*))?$/.exec(input[at] ?? '') ?? []
      if (!FIELDS.has(name)) throw new Error(`no field of a header: ${input[at]}`)
      if (isKnown) throw new Error('a header stands twice')
      header[name] = value
    }
    for (const name of ['author', 'author-mail', 'author-time', 'author-tz', 'summary', 'filename']) {
      if (!header[name]) throw new Error(`a header without ${name}`)
    }
    if (!/^<.*>$/.test(header['author-mail'] ?? '') || !/^\d+$/.test(header['author-time'] ?? ''))
      throw new Error('no author')
    lines.push({
      commit,
      original: Number(original),
      line: Number(line),
      header,
      content: (input[at++] ?? '').slice(1),
    })
    left -= 1
  }
  if (left !== 0) throw new Error('the last group is not whole')
  return lines
}
