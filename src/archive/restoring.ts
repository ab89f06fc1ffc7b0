/** What the name of a restored file ends with until all of them are written. Such files belong to nobody. */
export const RESTORING = '.annals-restore'

/** The same for a file that an edit is about to put in its place. */
export const EDITING = '.annals-edit'
