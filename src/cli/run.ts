import { homedir } from 'node:os'
import type { OpenStore } from '../collector/team/open-store.ts'
import { Failure } from '../core/failure.ts'
import type { Warning } from '../disk/warning.ts'
import type { Context } from '../history/context.ts'
import { syncDue } from '../history/sync-due.ts'
import type { Command, Op } from '../ops/op.ts'
import { ourFolders } from '../state/folders.ts'
import { commands } from './commands.ts'
import { accessOf, asker, contextOf } from './context.ts'
import { type Parsed, parseFlags } from './flags.ts'
import { followFormats, formats } from './format/index.ts'
import type { Lines } from './format/parts/lines.ts'
import { writeJson, writeNote, writePlain, writeText } from './output.ts'
import { reachedFrom } from './reached.ts'
import { storeOf } from './team.ts'
import { isTerminal } from './terminal/is-terminal.ts'
import { plain } from './terminal/sanitize.ts'
import { createStyle, shouldColour } from './terminal/style.ts'
import { laidOut } from './terminal/width.ts'
import type { View } from './view.ts'

/** Runs one command: arguments in, text or JSON out. */
export async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const op = await (commands[name] as () => Promise<Op | Command>)()
  if (asksForHelp(args)) {
    const { printHelp } = await import('./help.ts')
    return printHelp([name, ...args.filter((arg) => ['--no-pager', '--color', '--no-color'].includes(arg))])
  }
  const reached = reachedFrom(op, args)
  if (reached.name !== name) return runCommand(reached.name, reached.args)
  if (name === 'collect' && args.includes('--demo')) {
    const { runTeamDemo } = await import('./team-demo.ts')
    return runTeamDemo()
  }
  const parsed = parseFlags(op, args)
  if (parsed.globals.demo) await startDemo(parsed)
  if (!('run' in op) && name === 'receive') {
    const { runReceive } = await import('./receive.ts')
    return runReceive(parsed)
  }
  if (!('run' in op)) {
    const { runServe } = await import('./serve.ts')
    return runServe(parsed)
  }
  const { format } = parsed.globals
  const template = typeof format === 'string' ? (await import('./template.ts')).openTemplate(op, format) : undefined
  const warnings: Warning[] = []
  const team = await teamOf(op, parsed, warnings)
  try {
    return await runIn(contextOf(op, parsed, warnings, team), { op, parsed, warnings, template })
  } finally {
    team?.remote.close()
  }
}

interface Running {
  readonly op: Op
  readonly parsed: Parsed
  readonly warnings: Warning[]
  readonly template: ((result: object) => string) | undefined
}

async function runIn(context: Context, { op, parsed, warnings, template }: Running): Promise<number> {
  const { name } = op
  const input = withDefaults(op, parsed)
  const isJson = parsed.globals.json === true
  const view = viewOf(parsed, input)
  // Not copied: what only programs ask for is made when they do.
  const ran = await runOp(op, { context, view, isJson }, input).finally(() => writeWarnings(warnings))
  const result = Object.assign(ran as object, { warnings })
  const isFollowing = input.follow === true && op.follow !== undefined
  if (template) writePlain(template(result))
  else if (isJson) writeJson(name, result)
  else
    await writeText(await formatted(name, result, view), {
      noPager: isFollowing || parsed.globals['no-pager'] === true,
    })
  if (!op.changes && op.effort !== 'instant' && !context.store) await syncDue(context)
  // Another process does the work already: there is nothing to stay for.
  if (isFollowing && (result as { busy?: unknown }).busy !== true)
    return followCommand(op, context, input, isJson, view)
  const code = exitCode(op, result, parsed.globals.strict === true)
  return name === 'resume' && !isJson && code === 0 ? handOver(result) : code
}

/** What could not be read may be why a command failed, so it is said then too. */
function writeWarnings(warnings: readonly Warning[]): void {
  for (const { file, message } of warnings) writeNote(`${plain(`${file}: ${message}`)}\n`)
}

/** `--` ends flags: what follows is looked for. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h')
}

async function startDemo({ globals }: Parsed): Promise<void> {
  for (const other of ['root', 'store']) {
    if (globals[other] !== undefined) throw new Failure('USAGE', `--demo and --${other} cannot be used together.`)
  }
  const { enterDemo } = await import('./demo.ts')
  await enterDemo(process.env, new Date())
}

/** Runs an operation; what chooses between sessions is loaded when it has to. */
async function runOp(
  op: Op,
  { context, view, isJson }: { readonly context: Context; readonly view: View; readonly isJson: boolean },
  input: Record<string, unknown>,
): Promise<unknown> {
  try {
    return await op.run(context, input)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'SESSION_AMBIGUOUS') throw error
    const { withChoice } = await import('./choose-session.ts')
    const ask = isJson ? undefined : asker()
    return withChoice((chosen) => (chosen === input ? Promise.reject(error) : op.run(context, chosen)), input, {
      context,
      view,
      ask,
    })
  }
}

function exitCode(op: Op, result: { readonly warnings: readonly Warning[] }, isStrict: boolean): 0 | 1 {
  const isTrouble = op.isTrouble ? op.isTrouble(result, isStrict) : 'total' in result && result.total === 0
  return isTrouble || (isStrict && result.warnings.length > 0) ? 1 : 0
}

/** The team store, for a command that reads one. */
async function teamOf(op: Op, parsed: Parsed, warnings: Warning[]): Promise<OpenStore | undefined> {
  if (op.teamStore === 'itself' || op.teamStore === 'named') return undefined
  const store = storeOf(op, parsed, process.env, accessOf(process.env))
  if (!store) return undefined
  const { openStore } = await import('../collector/team/open-store.ts')
  return openStore(store, ourFolders(process.env, homedir()).cacheDir, (warning) => warnings.push(warning))
}

/** What a command that is given these arguments works with. */
export async function openContext(name: string, args: readonly string[], warnings: Warning[]): Promise<Context> {
  const op = await (commands[name] as () => Promise<Op>)()
  return contextOf(op, parseFlags(op, args), warnings)
}

/** Text is for people: they get what a command has for them where they do not say otherwise. A `~` is what lists write for the home folder. */
function withDefaults(op: Op, { input, globals }: Parsed): Record<string, unknown> {
  const folders = ['project', 'under'].flatMap((name) => {
    const value = input[name]
    return typeof value === 'string' && /^~(?:[\\/]|$)/.test(value) ? [[name, homedir() + value.slice(1)]] : []
  })
  const isData = globals.json === true || globals.format !== undefined
  return { ...(isData ? {} : op.forPeople?.(input)), ...input, ...Object.fromEntries(folders) }
}

function viewOf({ globals }: Parsed, input: Readonly<Record<string, unknown>>): View {
  const isTty = isTerminal(1)
  const flag = globals.color ? true : globals['no-color'] ? false : undefined
  return {
    style: createStyle({ colour: shouldColour(process.env, isTty, flag) }),
    width: isTty ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
    now: new Date(),
    home: homedir(),
    timeZone: process.env.TZ || undefined,
    tools: input.full === true ? 'full' : input.tools === 'none' || input.tools === 'full' ? input.tools : 'brief',
    input,
  }
}

async function formatted(name: string, result: unknown, view: View): Promise<Lines> {
  const format = await formats[name as keyof typeof formats]()
  return laidOut(() => format(result as never, view))
}

async function followCommand(
  op: Op,
  context: Context,
  input: Record<string, unknown>,
  isJson: boolean,
  view: View,
): Promise<number> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  const format = await followFormats[op.name as keyof typeof followFormats]()
  for await (const result of op.follow?.(context, input, stop.signal) ?? []) {
    if (isJson) writeJson(op.name, result as object)
    else await writeText(await laidOut(() => format(result as never, view)), { noPager: true })
  }
  return 130
}

/** Hands the terminal over to the client; annals itself never drives it. */
export async function handOver(result: Readonly<Record<string, unknown>>): Promise<number> {
  if (result.print) return 0
  const { spawnSync } = await import('node:child_process')
  const [program, ...rest] = result.command as string[]
  const child = spawnSync(program as string, rest, {
    stdio: 'inherit',
    cwd: (result.cwd as string | null) ?? process.cwd(),
    env: environmentFor(result.configDir as string | null),
  })
  if (!child.error) return child.status ?? 130
  process.stderr.write(
    'Could not start `claude`. Is it installed and on your PATH?\n  Use --print to see the command.\n',
  )
  return 2
}

/** The client is to look where the session lies: in the folder that was named, or where it looks by itself. */
function environmentFor(configDir: string | null): NodeJS.ProcessEnv {
  const { CLAUDE_CONFIG_DIR: _, ...env } = process.env
  return configDir === null ? env : { ...env, CLAUDE_CONFIG_DIR: configDir }
}
