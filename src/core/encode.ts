/** Longest key the client writes before it cuts and appends a hash (2.1.68 and up). */
const KEY_LENGTH = 200

/**
 * The folder name under `projects/` that the client gives a working folder. Lossy, so it is never decoded: the real
 * path comes from the records' `cwd`.
 */
export function projectKey(path: string): string {
  const key = path.replace(/[^a-zA-Z0-9]/g, '-')
  return key.length <= KEY_LENGTH ? key : `${key.slice(0, KEY_LENGTH)}-${Math.abs(javaHash(path)).toString(36)}`
}

/**
 * Whether a folder name can be the key of a path. Long keys are compared by their first 200 characters only, because
 * some builds hashed the rest differently and older ones did not cut at all.
 */
export function keyMatches(key: string, path: string): boolean {
  const expected = projectKey(path)
  if (expected.length <= KEY_LENGTH) return key === expected
  return key.slice(0, KEY_LENGTH) === expected.slice(0, KEY_LENGTH)
}

function javaHash(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = ((hash << 5) - hash + text.charCodeAt(i)) | 0
  return hash
}
