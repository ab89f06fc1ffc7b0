import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_SEARCHABLE } from '../src/core/search/gathered-text.ts'
import * as at from '../src/core/skim/layout.ts'
import { Skimmer } from '../src/core/skim/skimmer.ts'
import { LOSSY, lossyBytes, NOT_JSON, OBJECTS, OTHER_VALUES } from './json-lines.ts'
import { compareBytes, nothingCompared } from './skim-agreement.ts'
import { answer, FULL_ROWS, results, row } from './skim-rows.ts'

const skimmer = new Skimmer()

/** Compares one line and says whether it was plain. */
function isPlain(line: string | Uint8Array): boolean {
  const counts = nothingCompared()
  compareBytes(skimmer, Buffer.concat([Buffer.from(line), Buffer.from('\n')]), counts)
  expect(counts.lines).toBe(1)
  return counts.left === 0
}

/** An answer with something else in its place. */
function changed(from: string, to: string): string {
  const line = answer([{ type: 'text', text: 'Hello' }])
  expect(line).toContain(from)
  return line.replace(from, to)
}

test('rows with everything in them are plain', () => {
  for (const line of FULL_ROWS) expect(isPlain(line), line).toBe(true)
})

test('numbers, ids and places of a response are those of its line', () => {
  isPlain(FULL_ROWS[0] as string)
  expect(skimmer.number(0, at.TIME)).toBe(Date.UTC(2026, 1, 28, 23, 59, 59, 999))
  expect(skimmer.uuid(0, at.UUID)).toBe('0f3c5a7e-1b2d-4c6f-8a9b-0c1d2e3f4a5b')
  expect(skimmer.uuid(0, at.PARENT)?.slice(0, 13)).toBe('11111111-2222')
  expect(skimmer.id(0, at.MESSAGE_ID)).toBe('msg_01ABC')
  expect(skimmer.name(0, at.STOP_REASON)).toBe('tool_use')
  expect(skimmer.number(0, at.CACHE_WRITE_1H_TOKENS)).toBe(200)
  expect(skimmer.block(0, 2)).toEqual({ kind: at.CALL_BLOCK, id: 'toolu_01', name: 'Edit', isError: false })
})

test.each([
  ['a prompt', results('Hello')],
  ['a prompt of blocks', results([{ type: 'text', text: 'Hello' }])],
  [
    'a result with a text beside it',
    results([
      { type: 'tool_result', tool_use_id: 'a' },
      { type: 'text', text: 'b' },
    ]),
  ],
  ['a compact boundary', row('system', { subtype: 'compact_boundary', content: 'x' })],
  ['a local command', row('system', { subtype: 'local_command', content: '<command-name>/cost</command-name>' })],
  ['a queued command', row('attachment', { attachment: { type: 'queued_command', prompt: 'Do it' } })],
  ['a summary', '{"type":"summary","summary":"Title","leafUuid":"x"}'],
  ['a title', '{"type":"custom-title","customTitle":"Title"}'],
  ['an ai title', '{"type":"ai-title","aiTitle":"Title"}'],
  ['a last prompt', '{"type":"last-prompt","leafUuid":null}'],
  ['costs', '{"type":"cost-state","totalCostUSD":1}'],
  ['a queue operation', '{"type":"queue-operation","operation":"enqueue","content":"x"}'],
  ['a type that is not known', '{"type":"novel"}'],
  ['no type', '{"uuid":null}'],
  ['an empty object', '{}'],
])('%s is left to the parser', (_, line) => {
  expect(isPlain(line)).toBe(false)
})

test.each([
  ['an escape in an id', '"msg_01ABC"', '"msg\\u005f01ABC"'],
  ['an escape in a key that is read', '"uuid"', '"uu\\u0069d"'],
  ['a key that is read, twice', '"model":', '"model":"claude-x","model":'],
  ['a uuid in capitals', '0f3c5a7e', '0F3C5A7E'],
  ['a uuid with a letter beyond f', '0f3c5a7e', '0g3c5a7e'],
  ['a uuid without its dash', '-1b2d-', '01b2d-'],
  ['a time of another zone', '.999Z', '.999+01:00'],
  ['a time with a letter in it', '23:59', '2a:59'],
  ['a day that its month has not', '02-28', '02-30'],
  ['a leap day in a year without one', '02-28', '02-29'],
  ['a month too many', '2026-02', '2026-13'],
  ['a time before 1970', '2026-02', '1969-02'],
  ['a number for a time', '"2026-02-28T23:59:59.999Z"', '1772323199999'],
  ['a number for a name', '"2.1.325"', '2'],
  ['a text for a flag', '"isSidechain":false', '"isSidechain":"false"'],
  ['a count with a point', '"input_tokens":12', '"input_tokens":12.0'],
  ['a count with a sign', '"input_tokens":12', '"input_tokens":-12'],
  ['a count beyond all counts', '"input_tokens":12', '"input_tokens":1000000000001'],
  ['a count with a leading zero', '"input_tokens":12', '"input_tokens":012'],
  ['a count that is a text', '"input_tokens":12', '"input_tokens":"12"'],
  ['a list for the usage', '"usage":{', '"usage":[],"x":{'],
  ['a block that is none', '"content":[', '"content":[1,'],
  ['a text that is none', '"text":"Hello"', '"text":5'],
  ['a bad escape', 'Hello', '\\x'],
  ['half a unicode escape', 'Hello', '\\u12'],
  ['a control byte', 'Hello', 'Hel\tlo'],
  ['a NUL', 'Hello', 'Hel\0lo'],
  ['a blank outside strings', '{"parentUuid"', '{ "parentUuid"'],
  ['a number that is none', '"stop_reason"', '"x":+1,"stop_reason"'],
  ['a comma too many', '"stop_reason"', '"x":[1,],"stop_reason"'],
  ['a bracket of the wrong kind', '"stop_reason"', '"x":[1},"stop_reason"'],
])('%s is left to the parser', (_, from, to) => {
  expect(isPlain(changed(from, to))).toBe(false)
})

test.each([
  ['an escape in a folder, as Windows has it', '"/home/ana/work"', '"C:\\\\Users\\\\ana"'],
  ['a folder that is not ASCII', '"/home/ana/work"', '"/home/größe/作业"'],
  ['a leap day', '2026-02-28', '2024-02-29'],
  ['the last day of a century that has no leap day', '2026-02-28', '2100-02-28'],
  ['no parent', '"11111111-2222-4333-8444-555555555555"', 'null'],
  ['escapes in a key that is not read', '"stop_reason"', '"x":{"\\u0041\\n":1},"stop_reason"'],
  ['a key that is not read, twice', '"stop_reason"', '"x":1,"x":2,"stop_reason"'],
  ['an empty text', 'Hello', ''],
  ['half a pair', 'Hello', '\\ud83d and \\ude00'],
  ['a pair', 'Hello', '\\ud83d\\ude00'],
  ['letters beyond the first plane', 'Hello', '𠮷野家 𝒳y 𐐀𐐨Ab'],
  ['the largest count', '"input_tokens":12', '"input_tokens":1000000000000'],
])('%s is plain', (_, from, to) => {
  expect(isPlain(changed(from, to))).toBe(true)
})

test('values of every form are judged as the parser judges them', () => {
  const inside = (value: string) => changed('"stop_reason"', `"other":${value},"stop_reason"`)
  for (const [name, text] of [...OBJECTS, ...OTHER_VALUES, ...NOT_JSON]) {
    isPlain(text)
    for (const line of [inside(text), inside(`[${text}]`), inside(`{"a":${text}}`)]) {
      if (line.includes('\n')) continue
      const accepted = isPlain(line)
      if (NOT_JSON.some(([other]) => other === name))
        expect(accepted, `${name}: ${line}`).toBe(isJson(line) && accepted)
    }
  }
  for (const [, text] of LOSSY) expect(isPlain(lossyBytes(inside(text))), text).toBe(false)
})

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

test('deep values are left to the parser, and others are not', () => {
  const nested = (depth: number) =>
    changed('"stop_reason"', `"x":${'['.repeat(depth)}${']'.repeat(depth)},"stop_reason"`)
  expect(isPlain(nested(at.MAX_DEPTH))).toBe(true)
  expect(isPlain(nested(at.MAX_DEPTH + 1))).toBe(false)
  expect(isPlain(nested(20_000))).toBe(false)
})

test('a text too large to be searched whole is left to the parser, and one just as large as that is not', () => {
  const counted = (length: number) => {
    const counts = nothingCompared()
    const line = answer([{ type: 'text', text: 'word '.repeat(length / 5) }])
    compareBytes(skimmer, Buffer.from(`${line}\n`), counts)
    return counts
  }
  expect(counted(MAX_SEARCHABLE - 2)).toMatchObject({ left: 0, texts: 1, leftTexts: 0 })
  expect(counted(MAX_SEARCHABLE + 5)).toMatchObject({ left: 0, texts: 1, leftTexts: 1 })
})

test('inputs that JavaScript would put in another order are left to the parser', () => {
  const left = (input: string) => {
    const counts = nothingCompared()
    const line = answer([{ type: 'tool_use', id: 'a', name: 'T', input: 'INPUT' }]).replace('"INPUT"', input)
    compareBytes(skimmer, Buffer.from(`${line}\n`), counts)
    return counts.leftTexts
  }
  expect(left('{"b":"first","a":"second"}')).toBe(0)
  expect(left('{"b":"first","1":"second"}')).toBe(1)
  expect(left('{"a":"first","a":"second"}')).toBe(1)
  expect(left('{"a":"first","\\u0061":"second"}')).toBe(1)
  expect(left('{"a":{"x":"1"},"b":{"x":"2"}}')).toBe(0)
})

const words = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'aBcD09_ é使用ラ한𠮷𐐀😀\u0301\n\t"\\/→ \u3000\ufeff\u0000') }),
  fc.constantFrom('getUserName', 'HTTPServer2', 'x'.repeat(600), 'ab='.repeat(170), 'ab='.repeat(171), ' \u00a0\u2028'),
)
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(
    fc.oneof(
      fc.string(),
      fc.constantFrom('data', 'type', 'signature', 'base64', 'file_path', 'path', '1', '__proto__'),
    ),
    tie('any'),
    { maxKeys: 5 },
  ),
})).any

test('any texts, inputs and results are those of the definition', () => {
  fc.assert(
    fc.property(fc.array(words), value, value, (texts, input, details) => {
      isPlain(
        answer([
          ...texts.map((text) => ({ type: 'text', text })),
          { type: 'tool_use', id: 'a', name: 'T', input },
          { type: 'x_tool_result', tool_use_id: 'b', content: input },
        ]),
      )
      isPlain(results([{ type: 'tool_result', tool_use_id: 'a', content: input }], details))
      isPlain(row('system', { content: texts[0], level: texts[1] }))
    }),
    { numRuns: 1_000 },
  )
})
