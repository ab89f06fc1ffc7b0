import { writeSync } from 'node:fs'
import type { Size } from './layout.ts'

/** The terminal while the picker has it. */
export interface Screen {
  size(): Size
  write(text: string): void
  /** Hears what is typed. */
  onInput(listener: (text: string) => void): void
  onResize(listener: () => void): void
  /** Gives the terminal back as it was; what another program types and draws is then its own. */
  leave(): void
  /** Says something on the screen that was given back, and waits for a key. */
  anyKey(text: string): Promise<void>
  /** Takes it again. */
  enter(): void
  /** Gives it back for good. */
  close(): void
}

const CSI = '\u001b['
/** Another buffer, so that what stood there comes back, and pasted text marked as such. */
const ENTER = `${CSI}?1049h${CSI}H${CSI}2J${CSI}?2004h`
const LEAVE = `${CSI}?2026l${CSI}?2004l${CSI}0m${CSI}?25h${CSI}?1049l`

/** Takes the terminal. However the program ends, it is given back. */
export function openScreen(): Screen {
  const { stdin, stdout } = process
  let isEntered = false
  const leave = () => {
    if (!isEntered) return
    isEntered = false
    stdin.setRawMode(false)
    stdin.pause()
    writeSync(1, LEAVE)
  }
  const enter = () => {
    if (isEntered) return
    isEntered = true
    stdin.setRawMode(true)
    // What is typed before anyone listens is kept.
    if (stdin.listenerCount('data') > 0) stdin.resume()
    stdout.write(ENTER)
  }
  // As it would have ended without us, at once: an orderly exit would break off the thread that reads.
  const endBy = (signal: NodeJS.Signals) => () => {
    leave()
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
  const signals = { SIGTERM: endBy('SIGTERM'), SIGHUP: endBy('SIGHUP') }
  stdin.setEncoding('utf8')
  process.on('exit', leave)
  for (const [signal, listener] of Object.entries(signals)) process.on(signal, listener)
  enter()
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    write: (text) => stdout.write(text),
    onInput: (listener) => stdin.on('data', listener),
    onResize: (listener) => stdout.on('resize', listener),
    leave,
    anyKey: (text) =>
      new Promise((resolve) => {
        stdout.write(text)
        stdin.setRawMode(true)
        stdin.resume()
        stdin.once('data', () => resolve())
      }),
    enter,
    close: () => {
      leave()
      stdin.removeAllListeners('data')
      stdout.removeAllListeners('resize')
      process.off('exit', leave)
      for (const [signal, listener] of Object.entries(signals)) process.off(signal, listener)
    },
  }
}
