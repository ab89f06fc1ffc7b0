import type { Hunk } from './tool-call.ts'

/** Some text of a file and what stands in its place afterwards. */
export interface Replacement {
  readonly oldText: string
  readonly newText: string
  readonly isAll: boolean
}

/** What an edit made of a text; `isSure` where the texts that were replaced and the patch tell the same. */
export interface Edited {
  readonly text: string
  readonly isSure: boolean
}

/**
 * Does again what an edit did: by the texts that it replaced, checked against its patch; by the patch where they do not tell.
 * `undefined` where neither fits the text.
 */
export function editAgain(
  text: string,
  replacements: readonly Replacement[],
  patch: readonly Hunk[] | null,
): Edited | undefined {
  const lineEnd = lineEndOf(text)
  const base = unified(text)
  const replaced = replacements.length === 0 ? undefined : replaceAll(base, replacements)
  const patched = patch === null ? undefined : applyPatch(base, patch)
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const made = (result: string, isSure: boolean) => ({ text: mark + result.replaceAll('\n', lineEnd), isSure })
  if (replaced !== undefined) {
    if (patch === null || isSameEdit(base, replaced, patch)) return made(replaced, true)
    // A person may have changed what the model wanted: then the patch has it.
    return patched === undefined ? made(replaced, false) : made(patched, !hasTabs(replacements))
  }
  return patched === undefined ? undefined : made(patched, !hasTabs(replacements))
}

/** A text without the differences that the client does not note: a byte order mark, and how lines end. */
export function unified(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
}

/** How the lines of a text end, by the most of them, as the client goes on writing it. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1
  const withReturn = text.split('\r\n').length - 1
  return withReturn * 2 > all ? '\r\n' : '\n'
}

function replaceAll(base: string, replacements: readonly Replacement[]): string | undefined {
  let text: string | undefined = base
  for (const replacement of replacements) {
    if (text === undefined) return undefined
    text = replaceOne(text, replacement)
  }
  return text
}

function replaceOne(base: string, { oldText, newText, isAll }: Replacement): string | undefined {
  const wanted = unified(oldText)
  const wished = unified(newText)
  // Nothing can be replaced only where there is nothing.
  if (wanted === '') return base === '' ? wished : undefined
  const pieces = base.split(wanted)
  if (pieces.length === 1 || (pieces.length > 2 && !isAll)) return undefined
  // What is taken away whole takes the end of its line along.
  const isWhole = wished === '' && !wanted.endsWith('\n') && base.includes(`${wanted}\n`)
  if (!isWhole) return pieces.join(wished)
  return isAll ? base.replaceAll(`${wanted}\n`, '') : base.replace(`${wanted}\n`, '')
}

/** Applies a patch whose lines fit exactly. */
function applyPatch(base: string, patch: readonly Hunk[]): string | undefined {
  const hasEnd = base === '' || base.endsWith('\n')
  const old = base === '' ? [] : (hasEnd ? base.slice(0, -1) : base).split('\n')
  const made: string[] = []
  let at = 0
  let endsBare: boolean | undefined
  for (const hunk of patch) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
    if (start < at || start > old.length) return undefined
    while (at < start) made.push(old[at++] as string)
    let last = ''
    for (const line of hunk.lines) {
      const [sign, content] = [line.charAt(0), line.slice(1)]
      if (sign === '\\') {
        if (last !== '-') endsBare = true
        else endsBare ??= false
        continue
      }
      last = sign
      if (sign === '+') made.push(content)
      else if (old[at++] !== content) return undefined
      else if (sign !== '-') made.push(content)
    }
  }
  while (at < old.length) made.push(old[at++] as string)
  if (made.length === 0) return ''
  return made.join('\n') + ((endsBare ?? !hasEnd) ? '' : '\n')
}

/** Whether a patch tells of an edit. The client shows tabs at the start of lines as spaces there. */
function isSameEdit(base: string, edited: string, patch: readonly Hunk[]): boolean {
  const patched = applyPatch(untabbed(base), patch)
  return patched !== undefined && patched.replace(/\n$/, '') === untabbed(edited).replace(/\n$/, '')
}

function untabbed(text: string): string {
  return text.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length))
}

function hasTabs(replacements: readonly Replacement[]): boolean {
  return replacements.some(({ newText }) => /^\t/m.test(newText))
}
