import { Failure } from '../core/failure.ts'
import { nearest } from '../core/nearest.ts'
import { loadAll } from '../ops/index.ts'
import type { Command } from '../ops/op.ts'
import { commandNamed, commands } from './commands.ts'
import { plainWords } from './flags.ts'
import { allCommandsPage, commandPage, flagsPage, overviewPage } from './help-pages.ts'
import { writeText } from './output.ts'
import { ownCommands } from './own-commands.ts'
import { createStyle, shouldColour } from './terminal/style.ts'
import { loadWideText } from './terminal/width.ts'

/** Prints the help of a command, of all of them, or of the flags that every command takes. */
export async function printHelp(args: readonly string[]): Promise<number> {
  const [topic, ...others] = plainWords(args)
  if (others.length > 0) throw new Failure('USAGE', `Unexpected argument "${others[0]}".`, { hint: HINT })
  const flag = args.includes('--color') ? true : args.includes('--no-color') ? false : undefined
  const isTty = process.stdout.isTTY === true
  const look = {
    style: createStyle({ colour: shouldColour(process.env, isTty, flag) }),
    width: isTty ? process.stdout.columns || USUAL_WIDTH : USUAL_WIDTH,
  }
  await loadWideText()
  const noPager = args.includes('--no-pager')
  if (topic === 'flags') await writeText(flagsPage(look), { noPager })
  else if (topic !== undefined) await writeText(commandPage(await commandFor(topic), look), { noPager })
  else if (args.includes('--all')) await writeText(allCommandsPage(await allCommands(), look), { noPager })
  else await writeText(overviewPage(await allCommands(), look), { noPager })
  return 0
}

const USUAL_WIDTH = 80
const HINT = 'Run `annals help` to see the commands.'

async function allCommands(): Promise<readonly Command[]> {
  return [...Object.values(await loadAll(commands)), ...Object.values(ownCommands)]
}

async function commandFor(topic: string): Promise<Command> {
  const name = commandNamed(topic)
  const own = name === undefined ? undefined : ownCommands[name]
  const load = name === undefined ? undefined : commands[name]
  if (own) return own
  if (load) return load()
  const meant = nearest(topic, Object.keys(commands))
  throw new Failure('USAGE', `There is no command "${topic}".${meant ? ` Did you mean ${meant}?` : ''}`, { hint: HINT })
}
