import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { page, pagerEnv, shouldPage, splitCommand } from './pager.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals pager-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('pages only for someone at a terminal, and only what does not fit', () => {
  const facts = { isTty: true, rows: 24, lines: 24, noPager: false }
  expect(shouldPage(facts)).toBe(true)
  expect(shouldPage({ ...facts, lines: 23 })).toBe(false)
  expect(shouldPage({ ...facts, isTty: false })).toBe(false)
  expect(shouldPage({ ...facts, noPager: true })).toBe(false)
  expect(shouldPage({ ...facts, rows: undefined })).toBe(false)
})

test('splits a command into words without a shell', () => {
  expect(splitCommand('less -R')).toEqual(['less', '-R'])
  expect(splitCommand(`  "/a b/more" --prompt='x y'  $(id); `)).toEqual(['/a b/more', '--prompt=x y', '$(id);'])
  expect(splitCommand('')).toEqual([])
})

test('keeps less from running anything', () => {
  expect(pagerEnv({ LESSOPEN: '|evil %s', LESSCLOSE: 'evil', LESSSECURE: '0', LESS: '-i', PATH: '/bin' })).toEqual({
    LESS: '-i',
    LESSCHARSET: 'utf-8',
    LESSSECURE: '1',
    PATH: '/bin',
  })
})

test('pipes the text to the pager that was asked for', async () => {
  const [script, seen] = [join(folder, 'pager.mjs'), join(folder, 'seen.json')]
  writeFileSync(
    script,
    `import { readFileSync, writeFileSync } from 'node:fs'
     const { LESSOPEN = null, LESSSECURE } = process.env
     writeFileSync(process.argv[2], JSON.stringify([readFileSync(0, 'utf8'), LESSOPEN, LESSSECURE, process.argv[3]]))`,
  )
  const env = { ...process.env, LESSOPEN: '|evil %s', PAGER: `"${process.execPath}" "${script}" "${seen}" $HOME` }
  const { output, written } = sink()
  await page('héllo\n', { env, output })
  expect(readFileSync(seen, 'utf8')).toBe(JSON.stringify(['héllo\n', null, '1', '$HOME']))
  expect(written()).toBe('')
})

test('is quiet when the reader leaves early', async () => {
  const env = { ...process.env, PAGER: `"${process.execPath}" -e "process.exit(3)"` }
  await expect(page('x'.repeat(5_000_000), { env, output: sink().output })).resolves.toBeUndefined()
})

test('writes the text out when there is no pager', async () => {
  const { output, written } = sink()
  await page('all of it\n', { env: { PATH: folder, PAGER: 'no-such-pager' }, output })
  expect(written()).toBe('all of it\n')
})

test('is quiet when nobody reads what is written out', async () => {
  const output = new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error('broken pipe'), { code: 'EPIPE' }))
    },
  })
  await expect(page('text', { env: { PAGER: 'cat' }, output })).resolves.toBeUndefined()
})

function sink() {
  const chunks: string[] = []
  const output = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk))
      done()
    },
  })
  return { output, written: () => chunks.join('') }
}
