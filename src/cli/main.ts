import { Failure } from '../core/failure.ts'
import { readCommandLine } from './command-line.ts'
import { commandNamed } from './commands.ts'
import { writeNote, writePlain } from './output.ts'
import { runCommand } from './run.ts'
import { plain } from './terminal/sanitize.ts'
import { VERSION } from './version.ts'

/** Runs a command line and gives its exit code. The only place that catches what nobody foresaw. */
export async function main(args: readonly string[]): Promise<number> {
  const [first] = args
  if (first === '--version' || first === '-V' || first === 'version') {
    writePlain(`annals ${VERSION}\n`)
    return 0
  }
  try {
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
  if (!canPick(args, process.env)) return run(commandNamed('recap') ?? 'status', args)
  if (!args.includes('--demo')) return pick(args, process.env)
  const { enterDemo } = await import('./demo.ts')
  await enterDemo(process.env, new Date())
  return pick(
    args.filter((arg) => arg !== '--demo'),
    process.env,
  )
}

async function run(name: string, args: readonly string[]): Promise<number> {
  // By itself Node would print the line of the bundle that threw, which is the whole file.
  process.on('uncaughtException', (error) => void report(error).then((code) => process.exit(code)))
  const command = commandNamed(name)
  if (command === 'help') return help(args)
  if (command === 'complete') {
    const { complete } = await import('./complete.ts')
    return args.includes('--help') || args.includes('-h') ? help(['complete']) : complete(args)
  }
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
  if (error instanceof Failure && error.code === 'NO_ROOT') {
    const { emptyMachine } = await import('./empty-machine.ts')
    writeNote(`${plain(emptyMachine(error).join('\n'))}\n`)
    return 2
  }
  if (error instanceof Failure) {
    writeNote(`${plain(error.message)}\n${error.hint ? `  ${plain(error.hint)}\n` : ''}`)
    return error.code === 'SESSION_NOT_FOUND' || error.code === 'NOT_FOUND' ? 1 : 2
  }
  const trouble = systemTrouble(error)
  if (trouble !== undefined) {
    writeNote(`${plain(trouble)}\n`)
    return 2
  }
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
  writeNote(`This is a bug in annals ${VERSION}; please report it.\n${plain(told)}\n`)
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
