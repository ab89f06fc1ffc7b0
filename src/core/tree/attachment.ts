/**
 * How a row came to hang where it does. `continued` is a chain that begins anew though the conversation goes on: the hooks of
 * a cleared or resumed session have no parent, and what is said next hangs under them; rows without uuids follow each other. A `replay` is a row written again, a
 * `duplicate` another row that has the same uuid.
 */
export type Attachment = 'root' | 'parent' | 'logical' | 'continued' | 'missing' | 'cycle' | 'replay' | 'duplicate'

/** Whether a row stands under a uuid that an earlier row has: such rows are counted once. */
export function isRepeated(how: Attachment | undefined): boolean {
  return how === 'replay' || how === 'duplicate'
}
