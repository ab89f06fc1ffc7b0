import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../../src/cli/commands.ts'
import type { Command } from '../../src/ops/op.ts'
import { log } from '../../src/testing/index.ts'

/** What a command is tried with on the demo root, where its examples would find nothing there. `folder` is for what it writes. */
const ON_DEMO: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  show: () => ['last', '--agents', '--thinking'],
  outline: () => ['last'],
  timeline: () => ['last'],
  read: () => ['last', '--from', '-5'],
  find: () => ['last', 'notes'],
  context: () => ['last'],
  // A row of the newest session of the demo that has no field without a value.
  record: () => ['last', '53100b0e'],
  sql: () => ['select count(*) as n from sessions'],
  tree: () => ['last'],
  receipt: () => ['last'],
  resume: () => ['last', '--print'],
  path: () => ['/home/ana/code/api'],
  search: () => ['greenhouse'],
  redact: () => ['scan'],
  blame: () => ['/home/ana/code/api/src/http/health.ts'],
  attribution: (folder) => [join(folder, 'repository'), '--since', '1d'],
  // The demo was written just now.
  edit: () => ['tag', 'last', 'x', '--dry-run'],
  rename: () => ['last', 'Another title', '--dry-run'],
  move: (folder) => ['last', '--to', folder, '--dry-run'],
  undo: () => ['--list'],
  star: () => ['last'],
  tag: () => ['last', 'auth', '--dry-run'],
  note: () => ['last', 'for later'],
  export: (folder) => ['last', '--to', 'md', '--out', join(folder, 'export.md'), '--force'],
  purge: () => ['Health endpoint', '--yes'],
  collect: (folder) => ['--to', `folder:${join(folder, 'collected')}`],
  // Into a folder of its own: what is imported elsewhere is read by all commands that follow.
  import: (folder) => [join(folder, 'sent.jsonl'), '--to', join(folder, 'into')],
}

/** Arguments that make a command answer on the demo root: those above, else nothing if it needs nothing, else its first example. */
export function argumentsOf(command: Command, folder: string): readonly string[] {
  const own = Object.hasOwn(ON_DEMO, command.name) ? ON_DEMO[command.name] : undefined
  if (own) return own(folder)
  if ((command.input.required ?? []).length === 0) return []
  const words = command.examples[0]?.match(/'[^']*'|"[^"]*"|\S+/g) ?? []
  return words.slice(2).map((word) => word.replace(/^(['"])(.*)\1$/, '$2'))
}

/** Puts into a folder what the arguments name. */
export function writeArguments(folder: string): void {
  const sent = log({ cwd: '/home/ana/two', seed: 'sent' }).user('second thing').assistant('done')
  sent.write(join(folder, 'sender'))
  copyFileSync(join(folder, 'sender/projects/-home-ana-two', `${sent.sessionId}.jsonl`), join(folder, 'sent.jsonl'))
  mkdirSync(join(folder, 'into'))
  const repository = join(folder, 'repository')
  mkdirSync(repository)
  writeFileSync(join(repository, 'notes.md'), 'a line\n')
  const as = ['-c', 'user.name=ana', '-c', 'user.email=ana@example.com']
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...as, 'commit', '-q', '-m', 'a commit'],
  ])
    execFileSync('git', args, { cwd: repository })
}

/** Every command there is, in the order of the help; those that stay or need a team store are tried elsewhere. */
export async function commandsToTry(): Promise<readonly Command[]> {
  const all = await Promise.all(Object.values(commands).map((load) => load()))
  return all.filter((command) => 'run' in command && command.name !== 'team')
}
