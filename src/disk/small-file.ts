import { closeSync, fstatSync, readdirSync, readSync } from 'node:fs'
import { join, parse } from 'node:path'
import { type JsonValue, numberAt, parseJson, textAt } from '../core/json.ts'
import { readStart } from './read-start.ts'
import { openRegular, problemOf } from './regular-file.ts'
import type { Warning } from './warning.ts'

/** What a reader of a root found, and what it could not read on the way. */
export interface Found<T> {
  readonly items: readonly T[]
  readonly warnings: readonly Warning[]
}

/** A whole file: its text and what the file system says about it. */
export interface SmallFile {
  readonly path: string
  readonly text: string
  readonly sizeBytes: number
  readonly modifiedAt: string | null
}

/** How a file may be read. Links are followed only where the user is known to put them. */
export interface ReadOptions {
  readonly maxBytes?: number
  readonly followLinks?: boolean
}

/** One name in a folder. */
export interface FolderEntry {
  readonly name: string
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

const MEBIBYTE = 1024 * 1024

/**
 * Reads a whole regular file. Never throws and never waits: an absent file is quietly `undefined`, everything else that
 * stands in the way (a folder, a FIFO, a link, no permission, too large) is a warning.
 */
export function readSmallFile(path: string, warnings: Warning[], options: ReadOptions = {}): SmallFile | undefined {
  const { maxBytes = 64 * MEBIBYTE, followLinks = false } = options
  return attempt(path, warnings, () => {
    const descriptor = openRegular(path, followLinks ? ANYWHERE : [])
    if (typeof descriptor !== 'number') {
      return descriptor.kind === 'gone' ? undefined : refuse(path, warnings, descriptor.message)
    }
    try {
      const { size, mtimeMs } = fstatSync(descriptor)
      const read = (offset: number, into: Uint8Array) => readSync(descriptor, into, 0, into.length, offset)
      const bytes = readStart(read, size, maxBytes + 1) ?? new Uint8Array(0)
      if (bytes.length > maxBytes) {
        const message = `It has ${Math.max(size, bytes.length)} bytes, more than the ${maxBytes} that are read of such a file.`
        return refuse(path, warnings, message)
      }
      const text = new TextDecoder().decode(bytes)
      return { path, text, sizeBytes: bytes.length, modifiedAt: isoTime(mtimeMs) }
    } finally {
      closeSync(descriptor)
    }
  })
}

/** Where a link may lead that is to be followed: every path is below the root of the file system. */
const ANYWHERE = [parse(process.cwd()).root]

/** Reads a whole JSON file; what is not JSON is a warning. */
export function readJsonFile(path: string, warnings: Warning[], options: ReadOptions = {}): ReturnType<typeof asJson> {
  return asJson(readSmallFile(path, warnings, options), warnings)
}

/** A file that was read, as JSON; what is none is a warning. */
export function asJson(
  file: SmallFile | undefined,
  warnings: Warning[],
): { readonly file: SmallFile; readonly value: JsonValue } | undefined {
  const value = file && parseJson(file.text)
  if (!file || value !== undefined) return file && value !== undefined ? { file, value } : undefined
  return refuse(file.path, warnings, file.text.trim() === '' ? 'The file is empty.' : 'The file is not valid JSON.')
}

/** The names in a folder, sorted. An absent folder is empty; one that cannot be listed is empty with a warning. */
export function listFolder(path: string, warnings: Warning[]): readonly FolderEntry[] {
  const entries = attempt(path, warnings, () => readdirSync(path, { withFileTypes: true }))
  return (entries ?? [])
    .map((entry) => ({ name: entry.name, path: join(path, entry.name), kind: kindOf(entry) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A time in milliseconds as an ISO string; `null` for what no calendar holds. */
export function isoTime(ms: number | undefined): string | null {
  const date = new Date(ms ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** A time field, which the client writes in milliseconds here and as ISO text there, as an ISO string. */
export function timeAt(value: unknown, key: string): string | null {
  const text = textAt(value, key)
  return isoTime(text === undefined ? numberAt(value, key) : Date.parse(text))
}

/** Runs something on the file system: what is gone is `undefined`, any other system error also a warning. */
export function attempt<T>(path: string, warnings: Warning[], action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    const problem = problemOf(error)
    return problem.kind === 'gone' ? undefined : refuse(path, warnings, problem.message)
  }
}

function refuse(file: string, warnings: Warning[], message: string): undefined {
  warnings.push({ file, message })
  return undefined
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FolderEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
