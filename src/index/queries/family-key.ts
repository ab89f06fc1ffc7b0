/** Identifies a session: the same id can exist in several roots or projects. */
export function familyKey(root: string, project: string, session: string): string {
  return `${root}\0${project}\0${session}`
}

/** The session id in a family key. */
export function idOfKey(key: string): string {
  return key.slice(key.lastIndexOf('\0') + 1)
}
