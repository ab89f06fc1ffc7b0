import { Failure } from '../../core/failure.ts'
import { repositoryOf } from '../../disk/repository.ts'
import type { Warning } from '../../disk/warning.ts'
import type { Context } from '../../history/context.ts'
import type { View } from '../view.ts'
import { createDisplay, type Display } from './display.ts'
import { frameOf } from './frame.ts'
import { readKeys } from './keys.ts'
import { layoutOf } from './layout.ts'
import type { Listed, Row } from './model.ts'
import { ask, nextQuestion } from './questions.ts'
import type { Reading } from './read.ts'
import type { Screen } from './screen.ts'
import { type Act, actOf, type Event, openingState, reduce, type State, selectedRow } from './state.ts'
import type { Thread } from './thread.ts'

/** How long an escape may be the beginning of a sequence that has not wholly arrived. */
const ESCAPE_MS = 40

/** What the thread does for us. */
const OF_THREAD: ReadonlySet<Act> = new Set(['export', 'keep', 'star', 'rename'])

/** The picker at work: keys and answers come in, frames go out. */
export class Picker {
  readonly #screen: Screen
  readonly #view: View
  #state: State
  readonly #display: Display
  #context: Context | undefined
  #thread: Thread | undefined
  #args: readonly string[] = []
  #pending = ''
  #pressedAt = 0
  #escapeTimer: NodeJS.Timeout | undefined
  #askTimer: NodeJS.Timeout | undefined
  #isAsking = false
  /** Whether another program has the terminal. */
  #isAway = false
  #isOver = false
  #end: (code: number) => void = () => {}
  #fail: (error: unknown) => void = () => {}

  constructor(screen: Screen, view: View) {
    this.#screen = screen
    this.#view = view
    this.#state = openingState(screen.size(), repositoryOf(process.cwd()) ? 'this repository' : 'this folder')
    this.#display = createDisplay((text) => screen.write(text))
  }

  /** Runs until someone leaves. */
  async run(args: readonly string[], warnings: Warning[]): Promise<number> {
    this.#args = args
    const ended = new Promise<number>((resolve, reject) => {
      this.#end = resolve
      this.#fail = reject
    })
    const fail = (error: unknown) => this.#fail(error)
    process.on('uncaughtException', fail)
    this.#draw()
    this.#screen.onInput((text) => this.#attempt(() => this.#take(text)))
    this.#screen.onResize(() => this.#attempt(() => this.#resize()))
    this.#attempt(() => this.#load(args, warnings))
    try {
      return await ended
    } finally {
      this.#isOver = true
      process.off('uncaughtException', fail)
      clearTimeout(this.#askTimer)
      clearTimeout(this.#escapeTimer)
      await this.#thread?.close()
    }
  }

  /** What goes wrong where nobody waits for it ends the picker as well. */
  async #attempt(action: () => void | Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Loads what is heavy, the lightest first, and draws what there is in between. */
  async #load(args: readonly string[], warnings: Warning[]): Promise<void> {
    const { openContext } = await import('../run.ts')
    this.#context = { ...(await openContext('status', args, warnings)), progress: () => {} }
    const { newestPage } = await import('./answers.ts')
    const sessions = await newestPage(this.#context, layoutOf(this.#state.size).list)
    this.#change({ kind: 'listed', sessions, isAll: false })
    const { openThread } = await import('./thread.ts')
    this.#thread = await openThread(this.#context)
    this.#askNext()
  }

  #draw(): void {
    if (this.#isOver || this.#isAway) return
    this.#display.draw(frameOf(this.#state, { ...this.#view, now: new Date() }))
  }

  #change(...events: readonly Event[]): void {
    if (this.#isOver) return
    this.#state = events.reduce(reduce, this.#state)
    this.#draw()
    this.#askNext()
  }

  #take(text: string): void {
    clearTimeout(this.#escapeTimer)
    if (this.#isAway || this.#isOver) return
    this.#read(this.#pending + text, false)
    if (this.#pending === '') return
    this.#escapeTimer = setTimeout(() => this.#attempt(() => this.#read(this.#pending, true)), ESCAPE_MS)
  }

  #read(input: string, isAll: boolean): void {
    const { keys, rest } = readKeys(input, { isAll })
    this.#pending = rest
    this.#pressedAt = performance.now()
    for (const key of keys) {
      const act = actOf(this.#state, key)
      if (act === undefined) this.#change({ kind: 'pressed', key })
      else this.#attempt(() => this.#perform(act))
    }
  }

  #resize(): void {
    this.#display.reset()
    this.#change({ kind: 'resized', size: this.#screen.size() })
  }

  /** Asks for what is not known yet, one question at a time, and not while someone types. */
  #askNext(): void {
    clearTimeout(this.#askTimer)
    const thread = this.#thread
    const wanted = nextQuestion(this.#state)
    if (!thread || !wanted || this.#isAsking || this.#isOver) return
    const waitMs = Math.max(0, this.#pressedAt + wanted.waitMs - performance.now())
    this.#askTimer = setTimeout(() => {
      this.#isAsking = true
      this.#attempt(async () => {
        const events = await ask(thread, wanted, this.#state)
        this.#isAsking = false
        this.#change(...events)
      })
    }, waitMs)
  }

  async #perform(act: Act): Promise<void> {
    // What was told of the act before is no news of this one.
    if (this.#state.notice !== undefined) this.#tell(undefined)
    const row = selectedRow(this.#state)
    if (act === 'quit') this.#end(0)
    else if (act === 'redraw') this.#resize()
    else if (act === 'copy') this.#copy(row?.session.id ?? '')
    else if (row && this.#context) {
      try {
        await this.#performOn(act, row, this.#context)
      } catch (error) {
        if (!(error instanceof Error)) throw error
        // The thread that works for us tells only what went wrong, not what kind of error it was.
        if (!(error instanceof Failure || OF_THREAD.has(act))) throw error
        this.#tell(error.message)
      }
    }
  }

  async #performOn(act: Exclude<Act, 'quit' | 'redraw' | 'copy'>, row: Row, context: Context): Promise<void> {
    const { file } = row.session
    if (file === null) return this.#tell(`Its log is gone: there is nothing left to ${act === 'web' ? 'open' : act}.`)
    switch (act) {
      case 'read':
        return this.#readRow(context, row)
      case 'files': {
        const { filesText } = await import('./read.ts')
        return this.#page(await filesText(context, row, this.#viewNow()))
      }
      case 'resume':
        return this.#resume(context, file)
      case 'export':
        return this.#export(file)
      case 'keep':
        return this.#keep(file)
      case 'web':
        return this.#openWeb(file)
      case 'star':
        return this.#star(row.session, file)
      case 'rename':
        return this.#rename()
    }
  }

  #tell(notice: string | undefined): void {
    this.#change({ kind: 'told', notice })
  }

  #viewNow(): View {
    return { ...this.#view, now: new Date(), width: this.#screen.size().columns }
  }

  /** Asks the terminal to take the id; where it does not, it can be read. */
  #copy(id: string): void {
    this.#screen.write(`\u001b]52;c;${Buffer.from(id).toString('base64')}\u0007`)
    this.#tell(`Copied ${id}`)
  }

  async #export(file: string): Promise<void> {
    this.#tell('Exporting …')
    const made = await this.#thread?.ask('export', { file })
    const { exportedText } = await import('./told.ts')
    if (made) this.#tell(exportedText(made))
  }

  async #keep(file: string): Promise<void> {
    this.#tell('Keeping …')
    const kept = await this.#thread?.ask('keep', { file })
    const { keptText } = await import('./told.ts')
    await this.#relist()
    if (kept) this.#tell(keptText(kept))
  }

  async #star({ starred }: Listed, file: string): Promise<void> {
    await this.#thread?.ask('star', { file, isStarred: !starred })
    await this.#relist()
    this.#tell(starred ? 'Star removed.' : 'Starred. is:starred lists these.')
  }

  async #rename(): Promise<void> {
    const { renaming } = this.#state
    if (!renaming?.session.file) return
    this.#change({ kind: 'renamed' })
    const made = await this.#thread?.ask('rename', { file: renaming.session.file, title: renaming.line.text.trim() })
    await this.#relist()
    if (made) this.#tell(`Renamed, in Claude Code too. annals undo ${made.id} takes it back.`)
  }

  /** The web app runs until it is stopped, and then one is back here. */
  async #openWeb(file: string): Promise<void> {
    const { runServeFor } = await import('./web.ts')
    await this.#away(() => runServeFor(file, this.#args))
    await this.#relist()
  }

  async #readRow(context: Context, row: Row): Promise<void> {
    const { sessionText } = await import('./read.ts')
    await this.#page(await sessionText(context, row, this.#viewNow()))
  }

  async #page(reading: Reading): Promise<void> {
    const { readText } = await import('./read.ts')
    await this.#away(async () => {
      if (!(await readText(reading))) await this.#screen.anyKey('Press a key to go back.')
    })
    await this.#relist()
  }

  async #resume(context: Context, file: string): Promise<void> {
    const { resume } = await import('../../ops/resume.ts')
    const { handOver } = await import('../run.ts')
    const result = await resume.run(context, { session: [file] })
    this.#isOver = true
    this.#screen.close()
    this.#end(await handOver(result))
  }

  async #away(action: () => Promise<void>): Promise<void> {
    this.#isAway = true
    this.#screen.leave()
    try {
      await action()
    } finally {
      this.#isAway = false
      this.#screen.enter()
      this.#resize()
    }
  }

  /** Much may have happened while one was reading. */
  async #relist(): Promise<void> {
    const sessions = await this.#thread?.ask('list', null)
    if (sessions) this.#change({ kind: 'listed', sessions, isAll: true })
  }
}
