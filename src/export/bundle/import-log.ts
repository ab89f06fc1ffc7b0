import { createHash } from 'node:crypto'
import { fstatSync, futimesSync, mkdirSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { projectKey } from '../../core/encode.ts'
import { Failure } from '../../core/failure.ts'
import { isRecordType } from '../../core/log/record-types.ts'
import { chunksFrom, type ReadAt } from '../../disk/fill.ts'
import { fileLibrary } from '../../disk/one-file.ts'
import { writeAllAt, writeNewFile } from '../../state/private-file.ts'
import { type BundledFile, pathTrouble } from './format.ts'

/** A log that someone sent, and where it belongs. */
export interface SentLog {
  readonly session: string
  readonly file: BundledFile
}

/** Copies a plain log into a folder of ours. Fails where it is none. The descriptor stays open. */
export function stageLog(path: string, fd: number, stage: string): SentLog {
  const { session, key } = identify(path)
  const inside = `projects/${key}/${session}.jsonl`
  const target = join(stage, ...inside.split('/'))
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const { size, mtime } = fstatSync(fd)
  const hash = createHash('sha256')
  // What is written to it meanwhile belongs to another import.
  const read: ReadAt = (offset, into) => readSync(fd, into, 0, Math.min(into.length, size - offset), offset)
  const bytes = writeNewFile(target, (to) => {
    let at = 0
    for (const chunk of chunksFrom(read)) {
      hash.update(chunk)
      writeAllAt(to, chunk, at)
      at += chunk.length
    }
    futimesSync(to, mtime, mtime)
    return at
  })
  return { session, file: { path: inside, bytes, sha256: hash.digest('hex'), modifiedAt: mtime.toISOString() } }
}

/** Whose log it is: its name says so, as everywhere; else what its first records say. */
function identify(path: string): { readonly session: string; readonly key: string } {
  const name = basename(path)
  if (name.startsWith('agent-')) {
    const hint = "Import the log of the agent's session instead, or read this one with `annals show`."
    throw new Failure('BAD_INPUT', `${path} is the log of an agent, which belongs to a session.`, { hint })
  }
  const library = fileLibrary(path)
  try {
    const log = library.sessions()[0]?.log
    const facts = log && library.facts(log)?.facts
    if (!facts?.types.some(isRecordType)) {
      const hint = 'A log is a *.jsonl file; a bundle is what `annals export --to bundle` writes.'
      throw new Failure('BAD_INPUT', `${path} is neither a bundle nor a log of Claude Code.`, { hint })
    }
    const key = facts.cwd === null ? 'imported' : projectKey(facts.cwd)
    const names = [name.replace(/\.jsonl$/i, ''), ...facts.sessionIds]
    const session = names.find(
      (id) => !/[\\/]/.test(id) && pathTrouble(`projects/${key}/${id}.jsonl`, id) === undefined,
    )
    if (session !== undefined) return { session, key }
    const hint = 'Rename it to <session id>.jsonl.'
    throw new Failure('BAD_INPUT', `${path} has a name that no session can have.`, { hint })
  } finally {
    library.close()
  }
}
