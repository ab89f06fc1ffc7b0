import { basename, dirname, extname } from 'node:path'
import { placeOf } from './layout.ts'
import { Library } from './library.ts'

/**
 * A library of one log that lies anywhere, with the folder beside it. The folder is taken for a project, so that the log's
 * agents and sidecars are found as usual.
 */
export function fileLibrary(path: string): Library {
  const folder = dirname(path)
  const name = basename(path)
  const family = basename(path, extname(path))
  const include = (relativePath: string) => {
    const [top = ''] = relativePath.split('/')
    return top === name || top === family || top.startsWith('agent-')
  }
  const place = (relativePath: string) => {
    const project = basename(folder)
    // The log was named, so it is one, whatever its name ends with.
    if (relativePath === name && !name.startsWith('agent-'))
      return { kind: 'session' as const, project, session: family }
    return placeOf(`projects/${project}/${relativePath}`)
  }
  return new Library({ roots: [folder], layout: { include, placeOf: place } })
}
