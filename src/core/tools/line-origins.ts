import { grouped } from '../grouped.ts'
import { unified } from './file-edit.ts'
import type { FileContent, FileTouch, Seen } from './file-touch.ts'
import { type FileStep, fileSteps, isSameContent } from './file-versions.ts'
import { matchLines } from './line-match.ts'
import { patchOrigins } from './patch-origins.ts'

/** Where a line comes from. Touches are told by their index. */
export type LineOrigin =
  /** A call wrote it, as this line (counted from 0) of what the file then was. */
  | { readonly rule: 'proven'; readonly touch: number; readonly line: number }
  /** Nothing recorded wrote it: it was not there at one touch (`null`: the first record of the file), and was at the other. */
  | { readonly rule: 'outside'; readonly after: number | null; readonly before: number }
  /** It was there when the file is first told of. */
  | { readonly rule: 'before' }
  | { readonly rule: 'unknown' }

/** A touch of one of the copies of a file, such as in a worktree. */
export interface CopyTouch {
  readonly copy: number
  readonly touch: FileTouch
}

/** A copy of a file after all touches, with where its lines come from. */
export interface CopyOrigins {
  readonly content: Seen
  readonly lines: readonly string[]
  readonly origins: readonly LineOrigin[]
}

/**
 * Follows every line of a file, and of its copies, through all that happened to it, in the order of time. What a call changed is
 * its own by the patch of the call. Where a file is found otherwise than it was left, lines of equal content keep their origin, in
 * the order of both texts, and so do those that another copy has; a file that is found as it once was is that version again.
 */
export function lineOrigins(touches: readonly CopyTouch[]): ReadonlyMap<number, CopyOrigins> {
  const fold = new OriginFold(touches)
  for (const { copy, step } of stepsInOrder(touches)) fold.take(copy, step)
  return fold.result()
}

/** The lines of a text as blame counts them: what ends with a newline, and what is left. */
export function linesOf(text: string): readonly string[] {
  const all = unified(text).split('\n')
  if (all.at(-1) === '') all.pop()
  return all
}

function stepsInOrder(touches: readonly CopyTouch[]): readonly { readonly copy: number; readonly step: FileStep }[] {
  const byCopy = grouped(touches.keys(), (at) => touches[at]?.copy)
  const steps = [...byCopy].flatMap(([copy, own]) =>
    fileSteps(own.map((at) => (touches[at] as CopyTouch).touch)).map((step) => {
      const touch = own[step.touch] as number
      const seen = step.seen === null ? null : (own[step.seen] as number)
      return { copy, step: { ...step, touch, seen } }
    }),
  )
  return steps.sort((a, b) => a.step.touch - b.step.touch)
}

const BEFORE = -1
const UNKNOWN = -2
/** What is smaller stands for a change from outside. */
const OUTSIDE = -3

interface Version {
  readonly content: Seen
  /** For each line the number of the written line that it is, or what else is known of it. */
  readonly origins: Int32Array
}

interface Copy {
  /** What it holds; of one that is not known, what it last held. */
  version: Version
  isKnown: boolean
  readonly versions: Version[]
}

/** Of a text that has to be made to be compared, so many versions are tried. */
const MOST_TRIED = 8

class OriginFold {
  readonly #touches: readonly CopyTouch[]
  readonly #copies = new Map<number, Copy>()
  /** Every line that a call wrote: by which touch, and as which line. */
  readonly #written: { readonly touches: number[]; readonly lines: number[] } = { touches: [], lines: [] }
  readonly #outside: { readonly after: number | null; readonly before: number }[] = []

  constructor(touches: readonly CopyTouch[]) {
    this.#touches = touches
  }

  take(number: number, { kind, touch, content, seen }: FileStep): void {
    const copy = this.#copies.get(number)
    if (content === undefined) {
      // A call left something that is not known: what it held before is all there is to compare with.
      this.#put(number, copy?.version ?? { content: undefined, origins: new Int32Array() }, false)
      return
    }
    const version = copy?.version
    const origins =
      content === null
        ? new Int32Array()
        : kind === 'changed'
          ? this.#changed(touch, copy?.isKnown ? version : undefined, content)
          : this.#found(number, content, touch, seen)
    this.#put(number, { content, origins }, true)
  }

  result(): ReadonlyMap<number, CopyOrigins> {
    const told = ({ version, isKnown }: Copy): CopyOrigins => {
      const { content } = version
      if (!isKnown || !content) return { content: isKnown ? content : undefined, lines: [], origins: [] }
      const lines = linesOf(content.text)
      const origins = lengthOf(version.origins, lines).map((code) => this.#told(code))
      return { content, lines, origins }
    }
    return new Map([...this.#copies].map(([number, copy]) => [number, told(copy)]))
  }

  #put(number: number, version: Version, isKnown: boolean): void {
    const copy = this.#copies.get(number) ?? { version, isKnown, versions: [] }
    copy.version = version
    copy.isKnown = isKnown
    if (isKnown) copy.versions.push(version)
    this.#copies.set(number, copy)
  }

  /** What a call wrote is its own; the other lines are those that were there. */
  #changed(at: number, before: Version | undefined, content: FileContent): Int32Array {
    const { touch } = this.#touches[at] as CopyTouch
    const patch = 'patch' in touch ? touch.patch : undefined
    const own = before?.content ? before : undefined
    const isLong = content.isSame !== undefined
    if (patch && own) {
      const origins = patchOrigins(
        own.origins,
        patch,
        (line) => this.#writtenAt(at, line),
        isLong ? undefined : linesOf(content.text),
      )
      if (origins) return origins
    }
    const lines = linesOf(content.text)
    if (!own) return Int32Array.from(lines, (_, line) => this.#writtenAt(at, line))
    return carried(own, lines, (line) => this.#writtenAt(at, line))
  }

  #found(number: number, content: FileContent, at: number, seen: number | null): Int32Array {
    const copy = this.#copies.get(number)
    const others = [...this.#copies].flatMap(([other, { versions }]) => (other === number ? [] : versions))
    const again = versionAgain([...others, ...(copy?.versions ?? [])], content)
    if (again) return again.origins
    const lines = linesOf(content.text)
    const withOthers = this.#others(number, lines)
    // Before anything was known of it, it may have come from another copy; what that does not have, nobody can tell of.
    if (!copy) return withOthers((line) => (line === undefined ? (this.#copies.size > 0 ? UNKNOWN : BEFORE) : line))
    const left = copy.isKnown ? this.#outsideAt(seen, at) : UNKNOWN
    const kept = copy.version.content
      ? carried(copy.version, lines, () => NOBODYS)
      : new Int32Array(lines.length).fill(NOBODYS)
    return withOthers((line, i) => (kept[i] === NOBODYS ? (line ?? left) : (kept[i] as number)))
  }

  /** For each line what other copies say of it, the one that changed last first. */
  #others(
    number: number,
    lines: readonly string[],
  ): (choose: (said: number | undefined, i: number) => number) => Int32Array {
    const said = new Int32Array(lines.length).fill(NOBODYS)
    for (const [other, { version, isKnown }] of [...this.#copies].reverse()) {
      if (other === number || !isKnown || !version.content) continue
      for (const [i, origin] of carried(version, lines, () => NOBODYS).entries()) {
        if (said[i] === NOBODYS && origin !== UNKNOWN) said[i] = origin
      }
    }
    return (choose) => said.map((one, i) => choose(one === NOBODYS ? undefined : one, i))
  }

  #writtenAt(touch: number, line: number): number {
    this.#written.lines.push(line)
    return this.#written.touches.push(touch) - 1
  }

  #outsideAt(after: number | null, before: number): number {
    this.#outside.push({ after, before })
    return OUTSIDE - (this.#outside.length - 1)
  }

  #told(code: number): LineOrigin {
    if (code >= 0) {
      const { touches, lines } = this.#written
      return { rule: 'proven', touch: touches[code] as number, line: lines[code] as number }
    }
    if (code === BEFORE) return { rule: 'before' }
    const outside = this.#outside[OUTSIDE - code]
    return code === UNKNOWN || !outside ? { rule: 'unknown' } : { rule: 'outside', ...outside }
  }
}

const NOBODYS = -0x80000000

/** The origins of lines by those of a version that was before; `made` says what is none of its lines. */
function carried({ content, origins }: Version, lines: readonly string[], made: (line: number) => number): Int32Array {
  const before = linesOf((content as FileContent).text)
  const known = lengthOf(origins, before)
  return matchLines(before, lines).map((line, at) => (line === -1 ? made(at) : (known[line] as number)))
}

/** Origins that were followed by patches alone: where these do not add up to the text, nothing is known of its lines. */
function lengthOf(origins: Int32Array, lines: readonly string[]): readonly number[] {
  return origins.length === lines.length ? [...origins] : lines.map(() => UNKNOWN)
}

/** The last version with the same content. */
function versionAgain(versions: readonly Version[], content: FileContent): Version | undefined {
  const count = linesOf(content.text).length
  let tried = 0
  return versions.findLast((one) => {
    if (!one.content || one.origins.length !== count) return false
    if (one.content.isSame && tried++ >= MOST_TRIED) return false
    return isSameContent(one.content, content)
  })
}
