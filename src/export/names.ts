import { preview } from '../core/log/content.ts'
import type { SessionItem } from '../history/view/session-item.ts'
import type { ExportJob } from './exporter.ts'

/**
 * What the files of a session are called, without extension: its date, its title and the start of its id, with the agent where only that is meant. The item has lost
 * its secrets already; a name that is taken gets a number.
 */
export function baseName(item: SessionItem, job: ExportJob, agent?: string): string {
  const date = /^\d{4}-\d\d-\d\d/.exec(item.createdAt ?? '')?.[0] ?? 'undated'
  const parts = [
    date,
    slug(item.title ?? '', 48),
    slug(item.id, 8),
    agent === undefined ? '' : `agent-${slug(agent, 20)}`,
  ].filter((part) => part !== '')
  return uniqueName(job, parts.join('-'))
}

/** A name that no other has in an export, also where case does not count. */
export function uniqueName({ names: taken }: ExportJob, name: string): string {
  let unique = name
  for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${name}-${number}`
  taken.add(unique.toLowerCase())
  return unique
}

/** A text as part of a file's name: letters and digits of any script, with `-` between. */
export function slug(text: string, most: number): string {
  const words = preview(text, 400)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-/, '')
  return words
    .slice(0, most)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/-$/, '')
}

/** A path inside the export's folder that every file system takes, and that leads nowhere else. */
export function safePath(name: string): string {
  return name
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .map(safePart)
    .join('/')
}

function safePart(part: string): string {
  const plain = part
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    .replace(/[\u0000-\u001f\u007f-\u009f<>:"|?*\u202a-\u202e\u2066-\u2069]/g, '-')
    .replace(/^\.+/, '_')
    .replace(/[. ]+$/, '_')
  return RESERVED.test(plain) ? `_${plain}` : plain
}

/** Names that are devices on some systems, whatever their extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
