import { Failure } from '../core/failure.ts'
import type { Command } from '../ops/op.ts'
import { isValuedGlobal } from './flags.ts'

/** The command that arguments lead to from another one: `show last --tree` is `tree last`; the same command where none does. */
export function reachedFrom(
  op: Command,
  args: readonly string[],
): { readonly name: string; readonly args: readonly string[] } {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const flags = Object.keys(op.reaches ?? {}).filter((name) => name.startsWith('--'))
  const given = flags.filter((flag) => own.includes(flag))
  if (given.length > 1) throw new Failure('USAGE', `${given.join(' and ')} cannot be used together.`)
  const flag = given[0]
  const at =
    flag === undefined
      ? own.findIndex((arg, i) => !arg.startsWith('-') && !isValuedGlobal(own[i - 1] ?? ''))
      : own.indexOf(flag)
  const word = args[at]
  const reached = word !== undefined && op.reaches && Object.hasOwn(op.reaches, word) ? op.reaches[word] : undefined
  if (!reached) return { name: op.name, args }
  return { name: reached.command, args: [...(reached.args ?? []), ...args.slice(0, at), ...args.slice(at + 1)] }
}
