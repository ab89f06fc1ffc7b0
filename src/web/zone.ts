/** The time zone of the browser: days begin where the person is. */
export function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
