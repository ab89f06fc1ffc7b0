let known: string | undefined

/** The time zone of the browser: days begin where the person is. */
export function zone(): string {
  known ??= Intl.DateTimeFormat().resolvedOptions().timeZone
  return known
}
