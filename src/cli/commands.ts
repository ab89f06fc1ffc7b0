import { opLoaders, serviceLoaders } from '../ops/index.ts'
import type { Command, Op } from '../ops/op.ts'

/** Loads each command by name. */
export const commands: Readonly<Record<string, () => Promise<Op | Command>>> = { ...opLoaders, ...serviceLoaders }

/** Other names of commands. */
const ALIASES: Readonly<Record<string, string>> = {
  ls: 'sessions',
  log: 'sessions',
  cost: 'usage',
  today: 'recap',
  completion: 'complete',
}

/** The commands that are neither operations nor services: they are about the command line itself. */
const OWN = ['help', 'complete']

/** The command that a name or another name of it stands for; `undefined` where there is none. */
export function commandNamed(name: string): string | undefined {
  const known = Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : name
  return Object.hasOwn(commands, known) || OWN.includes(known) ? known : undefined
}

/** The other names of a command. */
export function aliasesOf(command: string): readonly string[] {
  return Object.keys(ALIASES).filter((alias) => ALIASES[alias] === command)
}
