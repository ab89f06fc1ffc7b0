import type { CollectedFile } from './collected-files.ts'
import type { ProjectFolders } from './project-folders.ts'
import type { RowFile, RowMaker } from './record-row.ts'
import { AGENT_ID } from './skeleton.ts'
import type { Tracked } from './state.ts'

/** Whose the rows of a log are, as it may be told. */
export function rowFileOf(
  { names, realPaths }: RowMaker,
  folders: ProjectFolders,
  file: CollectedFile,
  { file: name, generation }: Pick<Tracked, 'file' | 'generation'>,
): RowFile {
  if (file.role === 'history') {
    return { file: name, generation, kind: 'history', project: null, session: null, agent: null }
  }
  const { cwd, session: named } = folders.headOf(file)
  const session = file.session ?? named
  // A log that a person named is named by a path.
  const isOwn = session === null || realPaths || UUID.test(session)
  return {
    file: name,
    generation,
    kind: 'log',
    project: cwd === null ? null : (names.path(cwd) ?? null),
    session: isOwn ? session : (names.path(session) ?? null),
    agent:
      file.agent === null || realPaths || AGENT_ID.test(file.agent) ? file.agent : (names.path(file.agent) ?? null),
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
