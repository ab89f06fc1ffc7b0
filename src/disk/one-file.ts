import { basename, dirname } from 'node:path'
import { Library } from './library.ts'

/**
 * A library of one log that lies anywhere, with the folder beside it. The folder is taken for a project, so that the log's
 * agents and sidecars are found as usual.
 */
export function fileLibrary(path: string): Library {
  const folder = dirname(path)
  const name = basename(path)
  const family = basename(path, '.jsonl')
  const include = (relativePath: string) => {
    const [top = ''] = relativePath.split('/')
    return top === name || top === family || top.startsWith('agent-')
  }
  return new Library({ roots: [folder], layout: { include, prefix: `projects/${basename(folder)}/` } })
}
