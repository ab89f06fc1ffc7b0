import { basename } from 'node:path'
import type { Found } from './small-file.ts'
import { filesBeside, type OpenFiles, textFile } from './source-file.ts'
import type { Warning } from './warning.ts'

/** A note that the client keeps for later sessions. */
export interface Memory {
  /** The key of the project it belongs to; `null` for the personal ones and for agents'. */
  readonly project: string | null
  /** The kind of agent it belongs to. */
  readonly agent: string | null
  readonly root: string
  readonly name: string
  readonly file: string
  readonly sizeBytes: number
  readonly modifiedAt: string | null
  readonly text: string
}

/** Reads the memory of some roots: of projects, personal, and of agents. */
export function readMemory(open: OpenFiles): Found<Memory> {
  const warnings: Warning[] = []
  const items = filesBeside(open, isMemory, (beside) => {
    const file = textFile(beside, warnings)
    if (file === undefined) return []
    const [top, second = null] = beside.parts
    const owner = { project: top === 'projects' ? second : null, agent: top === 'agent-memory' ? second : null }
    const { path, text, sizeBytes, modifiedAt } = file
    const { root } = beside.entry
    return [{ ...owner, root, name: basename(path, '.md'), file: path, sizeBytes, modifiedAt, text }]
  })
  // Projects first, then the person's own, then agents'.
  const rank = (item: Memory) => (item.project !== null ? 0 : item.agent === null ? 1 : 2)
  return { items: items.sort((a, b) => rank(a) - rank(b)), warnings }
}

/** A test for the paths of memory files. */
export function isMemory(path: string): boolean {
  return FOLDERS.test(path) || NOTES.test(path)
}

const FOLDERS = /^(?:projects\/(?:[^/]+\/(?:memory\/)?)?|memory\/(?:personal\/)?|agent-memory\/(?:[^/]+\/)?)$/
const NOTES = /^(?:projects\/[^/]+\/memory|memory\/personal|agent-memory\/[^/]+)\/[^/]+\.md$/
