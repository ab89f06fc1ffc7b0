import { ACCESS } from './access.ts'
import { COUNTING } from './counting.ts'
import { DELETION } from './deletion.ts'
import { DELIVERY } from './delivery.ts'
import { FACT_TABLES } from './fact-tables.ts'
import { FACTS } from './facts.ts'
import { IDENTITY } from './identity.ts'
import { PARTITIONS } from './partitions.ts'
import { READING } from './reading.ts'
import { RETENTION } from './retention.ts'
import { ROLES } from './roles.ts'
import { TABLES } from './tables.ts'
import { USAGE } from './usage.ts'

/** The whole schema of a team store, in the order in which it is made: what is used stands before what uses it. */
export const SCHEMA = [
  ...[ROLES, TABLES, FACT_TABLES, PARTITIONS],
  ...[IDENTITY, DELIVERY, FACTS, READING, COUNTING, USAGE, DELETION, RETENTION],
  ACCESS,
].join('\n')
