import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Encoding } from './encoding.ts'

/** A file of the web app, held in memory. */
export interface Asset {
  readonly type: string
  readonly body: Uint8Array<ArrayBuffer>
  /** The same, packed when the app was built. */
  readonly packed: Partial<Readonly<Record<Encoding, Uint8Array<ArrayBuffer>>>>
  /** Its name changes when it does, so it may be kept for ever. */
  readonly isHashed: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/**
 * The files of the web app by the path they are asked for. They are read once, when the server starts: no later request
 * opens a file, so none can lead to another. Empty where the app was not built.
 */
export function readAssets(folder: string): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>()
  const names = new Set(namesIn(folder))
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const read = (ending: string) => new Uint8Array(readFileSync(join(folder, name + ending)))
    const packed = {
      ...(names.has(`${name}.br`) && { br: read('.br') }),
      ...(names.has(`${name}.gz`) && { gzip: read('.gz') }),
    }
    assets.set(`/${name}`, { type, body: read(''), packed, isHashed: name.startsWith('assets/') })
  }
  return assets
}

function namesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
    return names.filter((name) => /^[\w./-]+$/.test(name)).sort()
  } catch {
    return []
  }
}
