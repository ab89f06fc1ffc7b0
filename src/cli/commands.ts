import type { Command, Op } from '../ops/op.ts'

/**
 * The commands, each loaded when it is used: starting up must not cost what all of them together need. A test holds this
 * list equal to the operations and services.
 */
export const commands: Readonly<Record<string, () => Promise<Op | Command>>> = {
  search: async () => (await import('../ops/search.ts')).search,
  sessions: async () => (await import('../ops/sessions.ts')).sessions,
  show: async () => (await import('../ops/show.ts')).show,
  outline: async () => (await import('../ops/outline/outline.ts')).outline,
  read: async () => (await import('../ops/read.ts')).read,
  find: async () => (await import('../ops/find.ts')).find,
  tail: async () => (await import('../ops/tail.ts')).tail,
  tree: async () => (await import('../ops/tree.ts')).tree,
  timeline: async () => (await import('../ops/outline/timeline.ts')).timeline,
  context: async () => (await import('../ops/outline/context.ts')).context,
  agents: async () => (await import('../ops/agents.ts')).agents,
  projects: async () => (await import('../ops/projects.ts')).projects,
  prompts: async () => (await import('../ops/prompts.ts')).prompts,
  plans: async () => (await import('../ops/plans.ts')).plans,
  todos: async () => (await import('../ops/todos.ts')).todos,
  files: async () => (await import('../ops/files.ts')).files,
  blame: async () => (await import('../ops/blame.ts')).blame,
  attribution: async () => (await import('../ops/attribution.ts')).attribution,
  stats: async () => (await import('../ops/stats.ts')).stats,
  sql: async () => (await import('../ops/sql.ts')).sql,
  memory: async () => (await import('../ops/memory.ts')).memory,
  skills: async () => (await import('../ops/skills.ts')).skills,
  recap: async () => (await import('../ops/recap.ts')).recap,
  usage: async () => (await import('../ops/usage.ts')).usage,
  receipt: async () => (await import('../ops/receipt.ts')).receipt,
  statusline: async () => (await import('../ops/statusline.ts')).statusline,
  resume: async () => (await import('../ops/resume.ts')).resume,
  path: async () => (await import('../ops/path.ts')).path,
  check: async () => (await import('../ops/check.ts')).check,
  record: async () => (await import('../ops/record.ts')).record,
  redact: async () => (await import('../ops/redact.ts')).redact,
  keep: async () => (await import('../ops/keep.ts')).keep,
  archive: async () => (await import('../ops/archive.ts')).archive,
  edit: async () => (await import('../ops/edit/edit.ts')).edit,
  rename: async () => (await import('../ops/edit/rename.ts')).rename,
  move: async () => (await import('../ops/edit/move.ts')).move,
  undo: async () => (await import('../ops/edit/undo.ts')).undo,
  tag: async () => (await import('../ops/edit/tag.ts')).tag,
  star: async () => (await import('../ops/edit/star.ts')).star,
  note: async () => (await import('../ops/edit/note.ts')).note,
  export: async () => (await import('../ops/export.ts')).exporting,
  import: async () => (await import('../ops/import.ts')).importing,
  purge: async () => (await import('../ops/purge.ts')).purge,
  index: async () => (await import('../ops/indexing.ts')).indexing,
  status: async () => (await import('../ops/status.ts')).status,
  doctor: async () => (await import('../ops/doctor.ts')).doctor,
  collect: async () => (await import('../ops/collect.ts')).collect,
  team: async () => (await import('../ops/team.ts')).team,
  receive: async () => (await import('../ops/receive.ts')).receive,
  serve: async () => (await import('../ops/serve.ts')).serve,
}

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
