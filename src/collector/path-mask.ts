/** A text without what looks like a path: absolute, below home, or of Windows. Addresses of the web stay as they are. */
export function withoutPaths(text: string): string {
  return text.replace(PATH, (found, before: string) => `${before}[PATH]${/[.,;:!?]$/.exec(found)?.[0] ?? ''}`)
}

// A slash or a drive at the beginning of a word; a relative path is one that has a slash inside and no scheme before it.
const PATH =
  /(^|[\s"'`([{<=,;])((?:file:\/\/)?(?:~|\.{1,2})?\/[^\s"'`)\]}>]+|[A-Za-z]:\\[^\s"'`)\]}>]+|\\\\[^\s"'`)\]}>]+|(?![a-z][a-z+.-]*:\/\/)[\w.@+-]+\/[^\s"'`)\]}>]+)/g
