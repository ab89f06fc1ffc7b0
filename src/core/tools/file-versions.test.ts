import { expect, test } from 'vitest'
import { type FileTouch, textContent } from './file-touch.ts'
import { fileStates } from './file-versions.ts'

const text = textContent

function write(after: string, before?: string | null): FileTouch {
  return { kind: 'write', before: typeof before === 'string' ? text(before) : before, after: text(after) }
}

function edit(oldText: string, newText: string, before?: string): FileTouch {
  const replacements = [{ oldText, newText, isAll: false }]
  return { kind: 'edit', before: before === undefined ? undefined : text(before), replacements, patch: null }
}

const command: FileTouch = { kind: 'command', isNamed: true }

test('a file that was created and edited is known before, between and after', () => {
  const states = fileStates([write('a\nb\n', null), edit('b', 'c', 'a\nb\n')])
  expect(states).toEqual([
    { content: null, from: 0, confidence: 'doubtful', doubts: [{ code: 'found-later', touches: [0] }] },
    { content: text('a\nb\n'), from: 0, confidence: 'confirmed', doubts: [] },
    { content: text('a\nc\n'), from: 1, confidence: 'recorded', doubts: [] },
  ])
})

test('what a later edit found otherwise makes the time between doubtful', () => {
  const states = fileStates([write('a\n', null), command, edit('x', 'y', 'x\n')])
  expect(states.slice(1)).toEqual([
    { content: text('a\n'), from: 0, confidence: 'doubtful', doubts: [{ code: 'changed-between', touches: [0, 2] }] },
    {
      content: text('a\n'),
      from: 0,
      confidence: 'doubtful',
      doubts: [
        { code: 'commands', touches: [1] },
        { code: 'changed-between', touches: [0, 2] },
      ],
    },
    { content: text('y\n'), from: 2, confidence: 'recorded', doubts: [] },
  ])
})

test('an edit that does not fit leaves the file unknown until it is seen again', () => {
  const states = fileStates([write('a\n', null), edit('nowhere', 'y'), { kind: 'checkpoint', content: text('z\n') }])
  expect(states[2]).toEqual({
    content: text('z\n'),
    from: 2,
    confidence: 'doubtful',
    doubts: [
      { code: 'edit-misfit', touches: [1] },
      { code: 'found-later', touches: [2] },
    ],
  })
  expect(states[3]).toMatchObject({ content: text('z\n'), confidence: 'recorded' })
})

test('an edit whose text stands twice is not guessed', () => {
  const states = fileStates([write('a\na\n', null), edit('a', 'b')])
  expect(states[2]).toMatchObject({ content: undefined, confidence: 'none', doubts: [{ code: 'edit-misfit' }] })
})

test('lines that were read since and differ are said', () => {
  const read: FileTouch = { kind: 'read', text: 'B', firstLine: 2, isWhole: false }
  const states = fileStates([write('a\nb\nc\n', null), read])
  expect(states[2]).toMatchObject({ confidence: 'doubtful', doubts: [{ code: 'other-lines', touches: [1] }] })
  const fits: FileTouch = { kind: 'read', text: 'b\nc\n', firstLine: 2, isWhole: false }
  expect(fileStates([write('a\nb\nc\n', null), fits])[2]).toMatchObject({ confidence: 'recorded', doubts: [] })
})

test('a copy with other line ends is the same text, and its line ends are kept', () => {
  const states = fileStates([
    { kind: 'checkpoint', content: text('\ufeffa\r\nb\r\n') },
    edit('b', 'c', 'a\nb\n'),
    edit('c', 'd'),
  ])
  expect(states[1]).toMatchObject({ content: text('\ufeffa\r\nb\r\n'), confidence: 'confirmed' })
  expect(states[3]).toMatchObject({ content: text('\ufeffa\r\nd\r\n') })
})

test('a file that is no text is only ever copied', () => {
  const bytes = { text: 'AAEC', isBase64: true }
  const states = fileStates([{ kind: 'checkpoint', content: bytes }, edit('a', 'b')])
  expect(states[1]).toMatchObject({ content: bytes, confidence: 'recorded' })
  expect(states[2]).toMatchObject({ content: undefined, confidence: 'none' })
})

test('without any touch nothing is known', () => {
  expect(fileStates([])).toEqual([{ content: undefined, from: null, confidence: 'none', doubts: [] }])
})

test('a copy that the client made while a tool wrote is not taken for what was there before', () => {
  const late: FileTouch = { kind: 'checkpoint', content: text('new\n'), isAtChange: true }
  expect(fileStates([late, write('new\n', 'old\n')]).map(({ content }) => content)).toEqual([
    text('old\n'),
    text('old\n'),
    text('new\n'),
  ])
  expect(fileStates([late, write('new\n')])[0]).toMatchObject({ content: undefined, confidence: 'none' })
})
