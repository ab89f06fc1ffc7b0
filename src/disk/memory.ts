import { join } from 'node:path'
import { type Found, listFolder, readSmallFile } from './small-file.ts'
import type { Warning } from './warning.ts'

/** A note that the client keeps for later sessions. */
export interface Memory {
  /** The key of the project it belongs to; `null` for the personal ones and for agents'. */
  readonly project: string | null
  /** The kind of agent it belongs to. */
  readonly agent: string | null
  readonly name: string
  readonly file: string
  readonly sizeBytes: number
  readonly modifiedAt: string | null
  readonly text: string
}

/** Reads the memory of a root: of its projects, personal, and of agents. */
export function readMemory(root: string): Found<Memory> {
  const warnings: Warning[] = []
  const projects = foldersIn(join(root, 'projects'), warnings).flatMap(({ name, path }) =>
    notesIn(join(path, 'memory'), { project: name, agent: null }, warnings),
  )
  const personal = notesIn(join(root, 'memory', 'personal'), { project: null, agent: null }, warnings)
  const agents = foldersIn(join(root, 'agent-memory'), warnings).flatMap(({ name, path }) =>
    notesIn(path, { project: null, agent: name }, warnings),
  )
  return { items: [...projects, ...personal, ...agents], warnings }
}

function foldersIn(path: string, warnings: Warning[]) {
  return listFolder(path, warnings).filter((entry) => entry.kind === 'folder')
}

function notesIn(folder: string, owner: Pick<Memory, 'project' | 'agent'>, warnings: Warning[]): Memory[] {
  return listFolder(folder, warnings)
    .filter((entry) => entry.name.endsWith('.md'))
    .flatMap((entry) => {
      const file = readSmallFile(entry.path, warnings)
      if (file === undefined) return []
      const { path, text, sizeBytes, modifiedAt } = file
      return [{ ...owner, name: entry.name.slice(0, -'.md'.length), file: path, sizeBytes, modifiedAt, text }]
    })
}
