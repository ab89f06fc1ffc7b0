import type { Context } from '../../history/context.ts'
import { show } from '../../ops/show.ts'
import { formatShow } from '../format/show.ts'
import { page, splitCommand } from '../terminal/pager.ts'
import type { View } from '../view.ts'
import type { HitPlace, Row } from './model.ts'

/** A session as `show` writes it, from the turn that something was found in. */
export async function sessionText(
  context: Context,
  row: Row,
  place: HitPlace | undefined,
  view: View,
): Promise<string> {
  return `${formatShow(await show.run(context, inputOf(row, place)), view).join('\n')}\n`
}

/** What was found in an agent is read in the agent's own log. */
function inputOf({ session, hits: [hit] }: Row, place: HitPlace | undefined) {
  if (hit?.agent && hit.snippet !== null) return { session: hit.file }
  const turns = place?.turn ? { turns: `${place.turn}..` } : {}
  return { session: session.file ?? session.id, ...turns, ...(place?.branch ? { branch: place.branch } : {}) }
}

/** Shows a text in the pager; resolves when the reader has left, to false where there is no pager and it was only written. */
export async function readText(text: string): Promise<boolean> {
  const { stdout } = process
  let isPaged = true
  const output = {
    on: (event: 'error', listener: (error: Error) => void) => stdout.on(event, listener),
    off: (event: 'error', listener: (error: Error) => void) => stdout.off(event, listener),
    write: (written: string, done: (error?: Error | null) => void) => {
      isPaged = false
      return stdout.write(written, done)
    },
  }
  await aloneOnInterrupt(() => page(text, { env: pagerEnv(process.env), output }))
  return isPaged
}

type Env = Readonly<Record<string, string | undefined>>

/** `less` would leave by itself when all fits on the screen, and the reader would have seen nothing. */
function pagerEnv(env: Env): Env {
  const [program = 'less'] = splitCommand(env.PAGER ?? '')
  return /(?:^|[\\/])less$/.test(program) ? { ...env, PAGER: `${program} -R -+F -+X` } : env
}

/** An interrupt belongs to the pager while it runs: nobody else here hears of it. */
async function aloneOnInterrupt(action: () => Promise<void>): Promise<void> {
  const others = process.rawListeners('SIGINT') as NodeJS.SignalsListener[]
  const stay = () => {}
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', stay)
  try {
    await action()
  } finally {
    process.off('SIGINT', stay)
    for (const listener of others) process.on('SIGINT', listener)
  }
}
