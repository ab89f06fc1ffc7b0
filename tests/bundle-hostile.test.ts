import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../src/core/failure.ts'
import { BUNDLE_LIMITS, pathTrouble } from '../src/export/bundle/format.ts'
import { readManifest } from '../src/export/bundle/manifest.ts'
import { importAll } from './bundles.ts'
import { inFolder } from './support/made-folder.ts'

const ID = 'aaaaaaaa-0000-4000-8000-000000000001'
const KEY = '-home-ana-api'
const LOG = `projects/${KEY}/${ID}.jsonl`
const ROW = `${JSON.stringify({ type: 'user', uuid: 'u', message: { role: 'user', content: 'hi' } })}\n`

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const file = (path: string, text = ROW, more: object = {}) => ({
  path,
  bytes: Buffer.byteLength(text),
  sha256: sha256(text),
  ...more,
})
const piece = (path: string, text = ROW) => ({ path, text })
const manifest = (files: readonly object[], more: object = {}) => ({
  format: 'annals-bundle',
  version: 1,
  annals: '0.1.0',
  session: ID,
  title: null,
  exportedAt: null,
  redacted: true,
  files,
  ...more,
})
const pack = (...lines: readonly (object | string)[]) =>
  gzipSync(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))

/** A bundle with one more file beside its log. */
const withFile = (path: string, more: object = {}) =>
  pack(manifest([file(LOG), file(path, 'x', more)]), piece(LOG), piece(path, 'x'))
/** A family file with another name. */
const named = (name: string) => withFile(`projects/${KEY}/${ID}/tool-results/${name}`)
const tools = (name: string) => `projects/${KEY}/${ID}/tool-results/${name}`

const sound = pack(manifest([file(LOG)]), piece(LOG))

const hostile: Readonly<Record<string, Buffer>> = {
  'a path with ..': withFile('projects/../../x'),
  'a path that only begins like one of the session': withFile(`projects/${KEY}/${ID}/tool-results/../../../../../x`),
  'an absolute path': withFile('/etc/cron.d/x'),
  'a path with backslashes': withFile('projects\\..\\..\\x'),
  'a name with a backslash': named('a\\b.txt'),
  'a drive letter': withFile('C:/Windows/x'),
  'a name with a drive letter': named('C:x.txt'),
  'a path of a server': withFile('//server/share/x'),
  'a name that is a device': named('CON'),
  'a name that is a device with an extension': named('nul.txt'),
  'another device': named('COM1.log'),
  'a name with a stream': named('a.txt:stream'),
  'a name that ends with a dot': named('a.'),
  'a name that ends with a space': named('a '),
  'a name with a NUL': named('a\u0000.txt'),
  'a name with a control character': named('a\u001b[31m.txt'),
  'half a character in a name': named('a\ud800.txt'),
  'an empty name': withFile(`projects/${KEY}/${ID}/tool-results//a`),
  'a very long name': named('a'.repeat(300)),
  'a very deep path': withFile(`projects/${KEY}/${ID}/tool-results/${'d/'.repeat(40)}a`),
  'names that differ in case': pack(
    manifest([file(LOG), file(tools('A.txt'), 'x'), file(tools('a.txt'), 'x')]),
    piece(LOG),
  ),
  'names that differ in how they are composed': pack(
    manifest([file(LOG), file(tools('é'), 'x'), file(tools('e\u0301'), 'x')]),
    piece(LOG),
  ),
  'the same name twice': pack(manifest([file(LOG), file(LOG)]), piece(LOG), piece(LOG)),
  'a file that is also a folder': pack(
    manifest([file(LOG), file(tools('a'), 'x'), file(tools('a/b'), 'x')]),
    piece(LOG),
  ),
  'a link': withFile(tools('a.txt'), { link: '/etc/passwd' }),
  'a mode': withFile(tools('a.txt'), { mode: 0o4755 }),
  'a type': withFile(tools('a.txt'), { type: 'symlink' }),
  'the credentials of the client': withFile('.credentials.json'),
  settings: withFile('settings.json'),
  'the prompt history': withFile('history.jsonl'),
  'a hook': withFile('commands/x.md'),
  'a file of another session': withFile(`projects/${KEY}/bbbbbbbb-0000-4000-8000-000000000001.jsonl`),
  'a checkpoint of another session': withFile('file-history/other/0123456789abcdef@v1'),
  'files of two projects': withFile(`projects/other/${ID}/tool-results/a.txt`),
  'no log': pack(manifest([file(tools('a.txt'))]), piece(tools('a.txt'))),
  'no file': pack(manifest([])),
  'a session with a path for a name': pack(
    manifest([file('projects/k/../x.jsonl')], { session: '../x' }),
    piece('projects/k/../x.jsonl'),
  ),
  'another format': pack({ format: 'zip', version: 1 }),
  'a version to come': pack({ ...manifest([file(LOG)]), version: 2 }, piece(LOG)),
  'no version': pack({ ...manifest([file(LOG)]), version: undefined }, piece(LOG)),
  'a wrong hash': pack(manifest([{ ...file(LOG), sha256: '0'.repeat(64) }]), piece(LOG)),
  'a changed byte': pack(manifest([file(LOG)]), piece(LOG, ROW.replace('hi', 'ho'))),
  'a file that is too short': pack(manifest([file(LOG)]), piece(LOG, ROW.slice(0, 9))),
  'a file that is too long': pack(manifest([file(LOG)]), piece(LOG), piece(LOG)),
  'a file that is missing': pack(manifest([file(LOG), file(tools('a.txt'))]), piece(LOG)),
  'a file that is not listed': pack(manifest([file(LOG)]), piece(LOG), piece('projects/../../x')),
  'a size that is no size': pack(manifest([{ ...file(LOG), bytes: -1 }]), piece(LOG)),
  'a size that is no whole number': pack(manifest([{ ...file(LOG), bytes: 1e300 }]), piece(LOG)),
  'files that are no list': pack(manifest([], { files: 'all' }), piece(LOG)),
  'a piece that is both text and bytes': pack(manifest([file(LOG)]), { ...piece(LOG), base64: 'eA==' }),
  'a piece that is neither': pack(manifest([file(LOG)]), { path: LOG }),
  'base64 that is none': pack(manifest([file(LOG)]), { path: LOG, base64: '<>' }),
  'a line that is no JSON': pack(manifest([file(LOG)]), '{"path":'),
  'a blank line': pack(manifest([file(LOG)]), ''),
  'a bundle that is cut off': sound.subarray(0, sound.length - 12),
  'a bundle that is cut off between its parts': Buffer.concat([gzipSync(`${JSON.stringify(manifest([file(LOG)]))}\n`)]),
  'a bundle whose last line has no end': gzipSync(
    `${JSON.stringify(manifest([file(LOG)]))}\n${JSON.stringify(piece(LOG))}`,
  ),
  'a damaged bundle': Buffer.from(sound.map((byte, at) => (at === 30 ? byte ^ 0xff : byte))),
  'nothing but the name of the packing': Buffer.from([0x1f, 0x8b, 8]),
  'an empty bundle': gzipSync(''),
  'an empty file': Buffer.alloc(0),
  'something else': Buffer.from('PK\u0003\u0004 a zip'),
  'text that is no log': Buffer.from('{"hello":"world"}\n'),
  'a bomb that says so': pack(manifest([file(LOG), { ...file(tools('a.txt')), bytes: 3 * 1024 ** 3 }]), piece(LOG)),
  'a bomb that says even more': pack(
    manifest([file(LOG), { ...file(tools('a.txt')), bytes: 5 * 1024 ** 3 }]),
    piece(LOG),
  ),
  'a bomb that does not': pack(manifest([file(LOG)]), piece(LOG), { path: LOG, text: 'x'.repeat(30_000_000) }),
  'a bomb of blanks': pack(manifest([file(LOG)]), `${' '.repeat(60_000_000)}{}`),
  'a huge list of files': gzipSync(`${JSON.stringify(manifest([file(LOG)], { more: 'x'.repeat(20_000_000) }))}\n`),
  'too many files': pack(
    manifest([file(LOG), ...Array.from({ length: 50_001 }, (_, n) => file(tools(`${n}`), 'x'))]),
    piece(LOG),
  ),
}

/** All that lies in a folder. */
const all = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

describe('refused with a sentence, and nothing is left of it', () => {
  test.each(Object.keys(hostile))('%s', (name) =>
    inFolder({ 'sent/bundle': hostile[name] as Buffer, 'home/keep': '', 'claude/keep': '' }, async (folder) => {
      for (const to of [undefined, join(folder, 'claude')]) {
        const error = await importAll(join(folder, 'home'), [join(folder, 'sent/bundle')], to).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        expect(error).toBeInstanceOf(Failure)
        expect((error as Failure).message).toMatch(/^[A-Z/][\s\S]*\.$/)
        expect((error as Failure).hint).toMatch(/\.$/)
      }
      const left = all(folder).filter((path) => path !== 'home/imports')
      expect(left).toEqual(['claude', 'claude/keep', 'home', 'home/keep', 'sent', 'sent/bundle'])
    }),
  )

  test('the same without its fault is taken', () =>
    inFolder({ 'sent/bundle': sound }, async (folder) => {
      const { items } = await importAll(join(folder, 'home'), [join(folder, 'sent/bundle')])
      expect(readFileSync(join(items[0]?.root as string, LOG), 'utf8')).toBe(ROW)
    }))
})

test('links in the place of folders and files are not followed', () =>
  inFolder({ 'sent/bundle': named('a.txt'), 'outside/keep': '' }, async (folder) => {
    for (const at of ['projects', `projects/${KEY}`, LOG]) {
      const to = join(folder, `root-${at.length}`)
      mkdirSync(join(to, at, '..'), { recursive: true })
      symlinkSync(join(folder, 'outside'), join(to, at))
      await expect(importAll(join(folder, 'home'), [join(folder, 'sent/bundle')], to)).rejects.toThrow(
        /is a link|is different/,
      )
    }
    expect(all(join(folder, 'outside'))).toEqual(['keep'])
  }))

test('a folder, a pipe or nothing at all is no bundle', () =>
  inFolder({ 'sent/keep': '' }, async (folder) => {
    await expect(importAll(join(folder, 'home'), [join(folder, 'sent')])).rejects.toThrow(/not a file/)
    await expect(importAll(join(folder, 'home'), [join(folder, 'nothing')])).rejects.toThrow(/There is no file/)
    expect(existsSync(join(folder, 'home/imports')) ? all(join(folder, 'home/imports')) : []).toEqual([])
  }))

test('a log whose name is no name, or an agent, is refused', () =>
  inFolder({}, async (folder) => {
    const row = `${JSON.stringify({ type: 'user', uuid: 'u', cwd: '/x', message: { content: 'hi' } })}\n`
    writeFileSync(join(folder, 'CON.jsonl'), row)
    writeFileSync(join(folder, 'agent-1.jsonl'), row)
    await expect(importAll(join(folder, 'home'), [join(folder, 'CON.jsonl')])).rejects.toThrow(
      /a name that no session can have/,
    )
    await expect(importAll(join(folder, 'home'), [join(folder, 'agent-1.jsonl')])).rejects.toThrow(/log of an agent/)
  }))

test('no path that is taken leads out of its folder', () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', 'projects', KEY, ID, `${ID}.jsonl`, 'tool-results', 'CON', 'C:', '\\', 'a'),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = parts.join('/')
      if (pathTrouble(path, ID) !== undefined) return
      expect(join('/stage', path).startsWith('/stage/')).toBe(true)
      expect(path).not.toMatch(/[\\:]|^\/|\0/)
    }),
  )
})

test('no first line makes it do anything but take or refuse', () => {
  fc.assert(
    fc.property(fc.json(), fc.array(fc.anything()), (text, files) => {
      for (const line of [text, JSON.stringify(manifest(files as object[]))]) {
        try {
          readManifest(line, 100, BUNDLE_LIMITS)
        } catch (error) {
          expect(error).toBeInstanceOf(Failure)
        }
      }
    }),
  )
})
