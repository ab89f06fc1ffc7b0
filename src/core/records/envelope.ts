import { type Static, Type } from '../schema.ts'
import { boolean, nullableString, optional, string } from './shape.ts'

const forkedFrom = Type.Object({ sessionId: string, messageUuid: string })

/** The fields that user, assistant, system, attachment and progress rows share. */
export const envelope = {
  uuid: string,
  parentUuid: nullableString,
  isSidechain: boolean,
  timestamp: string,
  sessionId: string,
  cwd: string,
  version: string,
  userType: string,
  ...optional({
    gitBranch: string,
    agentId: string,
    slug: string,
    entrypoint: string,
    teamName: string,
    agentName: string,
    forkedFrom,
    logicalParentUuid: nullableString,
    /** The id the process started with; stays the old one after /clear or /branch. */
    session_id: string,
    sessionKind: string,
  }),
}

/** What every tree row has, whatever its type. */
export type Envelope = Static<typeof envelopeSchema>

const envelopeSchema = Type.Object(envelope)
