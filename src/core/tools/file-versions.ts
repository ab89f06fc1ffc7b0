import { EditedContent } from './edited-content.ts'
import { editAgain, lineEndOf, unified } from './file-edit.ts'
import { type FileContent, type FileTouch, type Seen, textContent } from './file-touch.ts'

/** How sure a state is: seen before and after; as last recorded; something speaks against it; not known at all. */
export type Confidence = 'confirmed' | 'recorded' | 'doubtful' | 'none'

/** What is not known of a state, and the touches (by their index) that it has to do with. */
export interface Doubt {
  readonly code:
    | 'changed-between' // the next touch found something else
    | 'found-later' // only the next touch shows it
    | 'edit-misfit' // an edit did not fit what was known
    | 'edit-unsure' // an edit's texts and its patch tell different things
    | 'other-lines' // lines that were read since differ
    | 'not-recorded' // what a write left is not in the log
    | 'copy-gone' // the copy of a checkpoint is gone
    | 'commands' // commands that name the file ran since
  readonly touches: readonly number[]
}

/** A file between two touches. */
export interface FileState {
  readonly content: Seen
  /** The touch that tells what the file holds; `null` where none does. */
  readonly from: number | null
  readonly confidence: Confidence
  readonly doubts: readonly Doubt[]
}

/**
 * Rebuilds a file from all that is recorded of it. State `i` is the file before touch `i`, the last one after all of them.
 * Whatever does not fit together is said in `doubts`; nothing is ever guessed from an edit that does not fit.
 */
export function fileStates(touches: readonly FileTouch[]): readonly FileState[] {
  return replay(touches, () => {}).map((one, at) => stateOf(one, at, touches))
}

/** Something that changed what is known of a file. */
export interface FileStep {
  /** A call changed it; it was found otherwise than it was left; or a call left something that is not known. */
  readonly kind: 'changed' | 'found' | 'lost'
  /** The touch that did, or showed it. */
  readonly touch: number
  /** What it holds since. */
  readonly content: Seen
  /** The touch that had last shown what it held before; `null` where none had. */
  readonly seen: number | null
}

/** The same as what happened, one after the other. */
export function fileSteps(touches: readonly FileTouch[]): readonly FileStep[] {
  const steps: FileStep[] = []
  replay(touches, (step) => steps.push(step))
  return steps
}

/** The stretches before each touch and after the last one, and what happened between them. */
function replay(touches: readonly FileTouch[], hear: (step: FileStep) => void): readonly Span[] {
  const spans: Span[] = []
  let span = openSpan(undefined, null)
  touches.forEach((touch, at) => {
    spans.push(span)
    if (isLate(touch, at, touches)) return
    const found = foundBy(touch)
    if (found !== undefined) {
      const met = meet(span, found, at)
      if (met.from === at) hear({ kind: 'found', touch: at, content: met.content, seen: span.seen })
      span = met
    }
    const next = apply(span, touch, at, touches)
    if (next !== span) {
      const kind = next.content === undefined ? 'lost' : 'changed'
      hear({ kind, touch: at, content: next.content, seen: span.seen })
    }
    span = next
  })
  spans.push(span)
  return spans
}

/** A stretch of touches over which a file is believed to hold the same. */
interface Span {
  readonly content: Seen
  readonly from: number | null
  readonly start: number
  /** The last touch that left or showed it so. */
  readonly seen: number | null
  readonly doubts: Doubt[]
  /** What the touch at its end found. */
  verdict: { readonly isSame: boolean; readonly found: Seen; readonly by: number } | undefined
  /** Touches within it that showed lines it does not have. */
  readonly otherLines: number[]
}

function openSpan(
  content: Seen,
  from: number | null,
  { start = 0, seen = null, doubts = [] }: Partial<Pick<Span, 'start' | 'seen' | 'doubts'>> = {},
): Span {
  return { content, from, start, seen, doubts: [...doubts], verdict: undefined, otherLines: [] }
}

/** What a touch leaves. */
function leftBy(at: number, content: Seen, doubts: Doubt[] = []): Span {
  return openSpan(content, content === undefined ? null : at, { start: at + 1, seen: at, doubts })
}

/** What a touch shows of how it found the file. */
function foundBy(touch: FileTouch): Seen {
  if (touch.kind === 'checkpoint') return touch.content
  if (touch.kind === 'read') return touch.isWhole ? textContent(touch.text) : undefined
  return 'before' in touch ? touch.before : undefined
}

/**
 * The client copies a file while the tool runs, and the copy may show what the tool left. Where the change itself tells what
 * it found, or the copy shows what it left, the copy is none of what was there before.
 */
function isLate(touch: FileTouch, at: number, touches: readonly FileTouch[]): boolean {
  if (touch.kind !== 'checkpoint' || !touch.isAtChange || !touch.content) return false
  for (let i = at + 1; i < touches.length; i++) {
    const next = touches[i] as FileTouch
    if (next.kind === 'edit') return next.before !== undefined
    if (next.kind === 'write') return next.before !== undefined || isSameContent(touch.content, next.after)
  }
  return false
}

/** Ends a stretch with what a touch found, and begins the next with it. */
function meet(span: Span, found: Seen, at: number): Span {
  const isSame = span.content !== undefined && isSameContent(span.content, found)
  span.verdict = { isSame, found, by: at }
  // Logs do not tell how lines end: what is known of it stays. A long text that stands in a log need not be made of what was before.
  const content = isSame && !found?.isSame ? span.content : likeBefore(found, span.content)
  return openSpan(content, isSame ? span.from : at, { start: at, seen: at })
}

function apply(span: Span, touch: FileTouch, at: number, touches: readonly FileTouch[]): Span {
  if (touch.kind === 'command' || touch.kind === 'move') return span
  if (touch.kind === 'remove') return leftBy(at, null)
  if (touch.kind === 'checkpoint') {
    if (touch.content === undefined) span.doubts.push(doubt('copy-gone', at))
    return span
  }
  if (touch.kind === 'read') {
    if (!touch.isWhole && !hasLines(span.content, touch.text, touch.firstLine)) span.otherLines.push(at)
    return span
  }
  if (touch.kind === 'write') {
    return leftBy(at, touch.after, touch.after === undefined ? [doubt('not-recorded', at)] : [])
  }
  const { content } = span
  // What the client itself found, it changed: that need not be tried.
  if (content?.isSame && touch.before !== undefined)
    return leftBy(at, new EditedContent(content, touch), [...span.doubts])
  const base = content === null ? '' : content?.isBase64 ? undefined : content?.text
  const edited = base === undefined ? undefined : editAgain(base, touch.replacements, touch.patch)
  if (!edited) return leftBy(at, undefined, [...span.doubts, doubt('edit-misfit', at)])
  // An edit that fits says nothing of the lines around it: what was doubtful before stays so.
  const before = [...span.doubts, ...withinSpan(span, at, touches)].filter(({ code }) => code !== 'copy-gone')
  const doubts = edited.isSure ? before : [...before, doubt('edit-unsure', at)]
  return leftBy(at, textContent(edited.text), doubts)
}

function doubt(code: Doubt['code'], ...touches: readonly number[]): Doubt {
  return { code, touches }
}

function stateOf(span: Span, at: number, touches: readonly FileTouch[]): FileState {
  const { content, from, doubts, verdict, otherLines } = span
  if (verdict?.isSame && otherLines.length === 0) return { content, from, confidence: 'confirmed', doubts: [] }
  if (content === undefined) {
    if (verdict === undefined) return { content, from: null, confidence: 'none', doubts }
    const found = [...doubts, doubt('found-later', verdict.by)]
    return { content: verdict.found, from: verdict.by, confidence: 'doubtful', doubts: found }
  }
  const said = [
    ...doubts.filter(({ code }) => code !== 'copy-gone'),
    ...withinSpan(span, at, touches),
    ...(verdict && !verdict.isSame ? [doubt('changed-between', ...(from === null ? [] : [from]), verdict.by)] : []),
  ]
  return { content, from, confidence: said.length > 0 ? 'doubtful' : 'recorded', doubts: said }
}

/** What speaks against a stretch within itself: other lines were read, or commands ran that name the file. */
function withinSpan({ start, otherLines }: Span, end: number, touches: readonly FileTouch[]): readonly Doubt[] {
  const commands: number[] = []
  for (let i = start; i < end; i++) {
    const touch = touches[i]
    if (touch?.kind === 'command' && touch.isNamed) commands.push(i)
  }
  const others = otherLines.length > 0 ? [doubt('other-lines', ...otherLines)] : []
  return commands.length > 0 ? [...others, doubt('commands', ...commands)] : others
}

/** Whether two contents are the same but for what the client does not note. */
export function isSameContent(a: FileContent | null, b: Seen): boolean {
  if (a === null || b === null || b === undefined) return a === b
  const isSame = a.isSame?.(b) ?? b.isSame?.(a)
  if (isSame !== undefined) return isSame
  return a.isBase64 === b.isBase64 && (a.isBase64 ? a.text === b.text : unified(a.text) === unified(b.text))
}

/** A text of a log, with the line ends that the file is known to have. */
function likeBefore(found: Seen, before: Seen): Seen {
  if (!found || found.isBase64 || found.isSame || !before || before.isBase64) return found
  if (lineEndOf(before.text) === '\n' || found.text.includes('\r\n')) return found
  return textContent(found.text.replaceAll('\n', '\r\n'))
}

function hasLines(content: Seen, text: string, firstLine: number): boolean {
  // Of a file that is not known, nothing differs.
  if (content === undefined) return true
  if (content === null || content.isBase64) return false
  const wanted = unified(text).split('\n')
  const lines = unified(content.text).split('\n')
  return wanted.every((line, i) => lines[firstLine - 1 + i] === line)
}
