let known: string | undefined

/**
 * The time zone of the browser: days begin where the person is. A browser that is asked the first time takes as long as it
 * needs for a page; before anything is asked for, none is needed.
 */
export function zone(isNeeded = true): string {
  if (isNeeded) known ??= Intl.DateTimeFormat().resolvedOptions().timeZone
  return known ?? 'UTC'
}
