import { Failure } from '../core/failure.ts'
import { VERSION } from './version.ts'

/** Runs a command line and gives its exit code. The only place that catches what nobody foresaw. */
export async function main(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args
  if (first === '--version' || first === '-V' || first === 'version') {
    process.stdout.write(`annals ${VERSION}\n`)
    return 0
  }
  try {
    return await dispatch(first, rest, args)
  } catch (error) {
    return await report(error)
  }
}

async function dispatch(first: string | undefined, rest: readonly string[], args: readonly string[]): Promise<number> {
  if (first === undefined) return open([])
  if (first === '--help' || first === '-h' || first === 'help') {
    const { printHelp } = await import('./help.ts')
    return printHelp(rest[0])
  }
  if (first === 'complete' || first === 'completion') {
    const { complete } = await import('./complete.ts')
    return complete(rest)
  }
  return first.startsWith('-') ? runAfterFlags(args) : run(first, rest)
}

/** Flags may stand before the command: `annals --root x sessions`. */
async function runAfterFlags(args: readonly string[]): Promise<number> {
  const { commands } = await import('./commands.ts')
  const at = args.findIndex(
    (arg, i) => Object.hasOwn(commands, arg) && !['--root', '--store'].includes(args[i - 1] ?? ''),
  )
  if (at === -1) return open(args)
  return run(args[at] as string, [...args.slice(0, at), ...args.slice(at + 1)])
}

/** No command: who sits at a terminal picks a session, everyone else is told what there is. */
async function open(args: readonly string[]): Promise<number> {
  const { canPick, pick } = await import('./picker/pick.ts')
  return canPick(args, process.env) ? pick(args, process.env) : run('status', args)
}

async function run(name: string, args: readonly string[]): Promise<number> {
  const { commands } = await import('./commands.ts')
  if (!Object.hasOwn(commands, name)) {
    const { nearest } = await import('../core/nearest.ts')
    const meant = nearest(name, Object.keys(commands))
    // Words that are no command, nor nearly one, are searched for.
    if (!meant) return run('search', [name, ...args])
    const message = `There is no command "${name}". Did you mean ${meant}?`
    throw new Failure('USAGE', message, { hint: `Run \`annals help\`, or \`annals search ${name}\` to find the word.` })
  }
  const { runCommand } = await import('./run.ts')
  return runCommand(name, args)
}

/** A failure is a sentence and what to do next; anything else is a bug and keeps its stack. */
async function report(error: unknown): Promise<number> {
  if (isClosedPipe(error)) return 0
  const { plain } = await import('./terminal/sanitize.ts')
  if (error instanceof Failure) {
    process.stderr.write(`${plain(error.message)}\n${error.hint ? `  ${plain(error.hint)}\n` : ''}`)
    return error.code === 'SESSION_NOT_FOUND' || error.code === 'NOT_FOUND' ? 1 : 2
  }
  const trouble = systemTrouble(error)
  if (trouble !== undefined) {
    process.stderr.write(`${plain(trouble)}\n`)
    return 2
  }
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`This is a bug in annals ${VERSION}; please report it.\n${plain(told)}\n`)
  return 2
}

/** What the system did not let us do is no bug: a full disk, a folder of somebody else. */
function systemTrouble(error: unknown): string | undefined {
  const isSystem = error instanceof Error && 'code' in error && 'syscall' in error
  const reason = isSystem ? REASONS.get(String(error.code)) : undefined
  const where = isSystem && 'path' in error ? String(error.path) : 'The system'
  return reason === undefined ? undefined : `${where}: ${reason}.`
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOTDIR', 'a file stands where a folder was expected'],
  ['EROFS', 'the disk is read-only'],
  ['ENOSPC', 'there is no room left'],
  ['EDQUOT', 'there is no room left'],
  ['EIO', 'the disk reports an error'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
])

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}
