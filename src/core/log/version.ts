/** A client version as a number that sorts as versions do: 2.1.9 before 2.1.10. */
export function numberOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0)
  return (major * 10_000 + minor) * 100_000 + patch
}

/** Sorts client versions, oldest first. */
export function compareVersions(a: string, b: string): number {
  return numberOf(a) - numberOf(b) || (a < b ? -1 : a > b ? 1 : 0)
}

/** The newest client version that the tests have read real logs of. */
export const NEWEST_TESTED = '2.1.325'
