import { Failure } from '../core/failure.ts'
import { VERSION } from './version.ts'

/** Runs a command line and gives its exit code. The only place that catches what nobody foresaw. */
export async function main(args: readonly string[]): Promise<number> {
  const [first] = args
  if (first === '--version' || first === '-V' || first === 'version') {
    process.stdout.write(`annals ${VERSION}\n`)
    return 0
  }
  try {
    const { readCommandLine } = await import('./command-line.ts')
    const { name, args: rest } = readCommandLine(args)
    return await (name === undefined ? withoutCommand(rest) : run(name, rest))
  } catch (error) {
    return await report(error)
  }
}

/** No command: who sits at a terminal picks a session, everyone else is told what there is. */
async function withoutCommand(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) return help(args)
  const { canPick, pick } = await import('./picker/pick.ts')
  if (!canPick(args, process.env)) return run(await bareCommand(), args)
  if (!args.includes('--demo')) return pick(args, process.env)
  const { enterDemo } = await import('./demo.ts')
  await enterDemo(process.env, new Date())
  return pick(
    args.filter((arg) => arg !== '--demo'),
    process.env,
  )
}

/** What bare `annals` prints off a terminal: today, where that is a command. */
async function bareCommand(): Promise<string> {
  const { commandNamed } = await import('./commands.ts')
  return commandNamed('recap') ?? 'status'
}

async function run(name: string, args: readonly string[]): Promise<number> {
  const { commandNamed } = await import('./commands.ts')
  const command = commandNamed(name)
  if (command === 'help') return help(args)
  if (command === 'complete') {
    const { complete } = await import('./complete.ts')
    return args.includes('--help') || args.includes('-h') ? help(['complete']) : complete(args)
  }
  const { runCommand } = await import('./run.ts')
  if (command !== undefined) return runCommand(command, args)
  const { nearMiss } = await import('./near-miss.ts')
  const miss = nearMiss(name, args)
  if (miss) throw miss
  // Words that are no command, nor nearly one, are searched for.
  return runCommand('search', [name, ...args])
}

async function help(args: readonly string[]): Promise<number> {
  const { printHelp } = await import('./help.ts')
  return printHelp(args)
}

/** A failure is a sentence and what to do next; anything else is a bug and keeps its stack. */
async function report(error: unknown): Promise<number> {
  if (isClosedPipe(error)) return 0
  const { plain } = await import('./terminal/sanitize.ts')
  if (error instanceof Failure && error.code === 'NO_ROOT') {
    const { emptyMachine } = await import('./empty-machine.ts')
    process.stderr.write(`${plain(emptyMachine(error).join('\n'))}\n`)
    return 2
  }
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
  ['ENOTDIR', 'there is a file where a folder should be'],
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
