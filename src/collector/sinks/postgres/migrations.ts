import { TABLES } from './migration-1-tables.ts'
import { ROLES } from './migration-2-roles.ts'
import { FUNCTIONS } from './migration-3-functions.ts'
import { FACTS } from './migration-4-facts.ts'
import { VIEWS } from './migration-5-views.ts'
import { QUIET } from './migration-6-quiet.ts'
import { SPEAKERS } from './migration-7-speakers.ts'
import { USAGE } from './migration-8-usage.ts'
import { KEEPING } from './migration-9-keeping.ts'
import { ACTING } from './migration-10-acting.ts'
import { DELIVERY } from './migration-11-delivery.ts'
import { SUMS } from './migration-12-sums.ts'
import { READING } from './migration-13-reading.ts'
import { PHRASES } from './migration-14-phrases.ts'
import { RETENTION } from './migration-15-retention.ts'

/** A change of the team store. Added, never edited: some store has already run it. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
}

/** All changes, in order. */
export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'tables', sql: TABLES },
  { number: 2, name: 'roles', sql: ROLES },
  { number: 3, name: 'functions', sql: FUNCTIONS },
  { number: 4, name: 'facts', sql: FACTS },
  { number: 5, name: 'views', sql: VIEWS },
  { number: 6, name: 'quiet', sql: QUIET },
  { number: 7, name: 'speakers', sql: SPEAKERS },
  { number: 8, name: 'usage', sql: USAGE },
  { number: 9, name: 'keeping', sql: KEEPING },
  { number: 10, name: 'acting', sql: ACTING },
  { number: 11, name: 'delivery', sql: DELIVERY },
  { number: 12, name: 'sums', sql: SUMS },
  { number: 13, name: 'reading', sql: READING },
  { number: 14, name: 'phrases', sql: PHRASES },
  { number: 15, name: 'retention', sql: RETENTION },
]
