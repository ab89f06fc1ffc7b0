/** What the name of a restored file ends with until all of them are written. Such files belong to nobody. */
export const RESTORING = '.annals-restore'
