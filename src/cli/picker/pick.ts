import { homedir } from 'node:os'
import { isatty } from 'node:tty'
import type { Warning } from '../../disk/warning.ts'
import { createStyle, type Style, shouldColour } from '../terminal/style.ts'
import { loadWideText } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { openScreen } from './screen.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Whether the picker can be shown: someone sits at a terminal that can do more than print, and asked for nothing else. */
export function canPick(args: readonly string[], env: Env): boolean {
  const isElse = args.some((arg) => ['--json', '--hook', '--help', '-h', '--strict'].includes(arg))
  return !isElse && !isAutomatic(env) && env.TERM !== 'dumb' && isatty(0) && isatty(1)
}

/** Machines that build have terminals too, and nobody before them. */
function isAutomatic({ CI, CONTINUOUS_INTEGRATION }: Env): boolean {
  return [CI, CONTINUOUS_INTEGRATION].some((value) => value !== undefined && value !== '0' && value !== 'false')
}

/** Shows the picker until someone leaves it, and gives the exit code. */
export async function pick(args: readonly string[], env: Env): Promise<number> {
  const flag = args.includes('--color') ? true : args.includes('--no-color') ? false : undefined
  const style = createStyle({ colour: shouldColour(env, true, flag) })
  const screen = openScreen()
  // Where to type is to be seen at once; everything else has to be loaded first.
  screen.write(` ${style.prompt('›')} `)
  const warnings: Warning[] = []
  try {
    const { Picker } = await import('./picker.ts')
    await loadWideText()
    return await new Picker(screen, viewWith(style, env)).run(args, warnings)
  } finally {
    screen.close()
    const { plain } = await import('../terminal/sanitize.ts')
    for (const { file, message } of warnings) process.stderr.write(`${plain(`${file}: ${message}`)}\n`)
  }
}

function viewWith(style: Style, env: Env): View {
  const timeZone = env.TZ || undefined
  return { style, width: 80, now: new Date(), home: homedir(), timeZone, tools: 'brief', input: {} }
}
