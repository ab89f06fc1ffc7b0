import { SCHEMA } from './schema/schema.ts'

/** A change of the team store. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
}

/** All changes, in order. After a release they are added and never edited: some store has already run them. */
export const MIGRATIONS: readonly Migration[] = [{ number: 1, name: 'schema', sql: SCHEMA }]
