import { commandNamed } from './commands.ts'
import { GLOBAL_FLAGS, isValuedGlobal } from './flags.ts'

/** A command line: which command, and its arguments with the flags that stood before it. */
export interface CommandLine {
  /** As it was typed; `undefined` where only flags were given. */
  readonly name: string | undefined
  readonly args: readonly string[]
}

/** Finds the command: flags may stand before it (`annals --root x sessions`). */
export function readCommandLine(args: readonly string[]): CommandLine {
  const at = commandAt(args)
  if (at === undefined) return { name: undefined, args }
  return { name: args[at] as string, args: [...args.slice(0, at), ...args.slice(at + 1)] }
}

/** Where flags are not known to every command, what follows one may be its value: then only a command's name counts. */
function commandAt(args: readonly string[]): number | undefined {
  let isSure = true
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--') return undefined
    if (!arg.startsWith('-')) {
      if (isSure || commandNamed(arg) !== undefined) return at
      continue
    }
    const flag = GLOBAL_FLAGS.find(({ name, short }) => arg === `--${name}` || arg === `-${short}`)
    isSure &&= flag !== undefined || arg === '-V' || arg === '--version' || arg === '--all' || arg.includes('=')
    if (isValuedGlobal(arg)) at++
  }
  return undefined
}
