import type { Command } from './op.ts'

/**
 * Loads each operation by name, in the order of the help. A command, and a worker of the server, loads the operation that it runs
 * and no other.
 */
export const opLoaders = {
  search: async () => (await import('./search.ts')).search,
  sessions: async () => (await import('./sessions.ts')).sessions,
  show: async () => (await import('./show.ts')).show,
  outline: async () => (await import('./outline/outline.ts')).outline,
  read: async () => (await import('./read.ts')).read,
  find: async () => (await import('./find.ts')).find,
  tail: async () => (await import('./tail.ts')).tail,
  tree: async () => (await import('./tree.ts')).tree,
  timeline: async () => (await import('./outline/timeline.ts')).timeline,
  context: async () => (await import('./outline/context.ts')).context,
  agents: async () => (await import('./agents.ts')).agents,
  projects: async () => (await import('./projects.ts')).projects,
  prompts: async () => (await import('./prompts.ts')).prompts,
  plans: async () => (await import('./plans.ts')).plans,
  todos: async () => (await import('./todos.ts')).todos,
  files: async () => (await import('./files.ts')).files,
  blame: async () => (await import('./blame.ts')).blame,
  attribution: async () => (await import('./attribution.ts')).attribution,
  stats: async () => (await import('./stats.ts')).stats,
  sql: async () => (await import('./sql.ts')).sql,
  memory: async () => (await import('./memory.ts')).memory,
  skills: async () => (await import('./skills.ts')).skills,
  recap: async () => (await import('./recap.ts')).recap,
  usage: async () => (await import('./usage.ts')).usage,
  receipt: async () => (await import('./receipt.ts')).receipt,
  statusline: async () => (await import('./statusline.ts')).statusline,
  resume: async () => (await import('./resume.ts')).resume,
  path: async () => (await import('./path.ts')).path,
  check: async () => (await import('./check.ts')).check,
  record: async () => (await import('./record.ts')).record,
  redact: async () => (await import('./redact.ts')).redact,
  keep: async () => (await import('./keep.ts')).keep,
  archive: async () => (await import('./archive.ts')).archive,
  edit: async () => (await import('./edit/edit.ts')).edit,
  rename: async () => (await import('./edit/rename.ts')).rename,
  move: async () => (await import('./edit/move.ts')).move,
  undo: async () => (await import('./edit/undo.ts')).undo,
  tag: async () => (await import('./edit/tag.ts')).tag,
  star: async () => (await import('./edit/star.ts')).star,
  note: async () => (await import('./edit/note.ts')).note,
  export: async () => (await import('./export.ts')).exporting,
  import: async () => (await import('./import.ts')).importing,
  purge: async () => (await import('./purge.ts')).purge,
  index: async () => (await import('./indexing.ts')).indexing,
  status: async () => (await import('./status.ts')).status,
  doctor: async () => (await import('./doctor.ts')).doctor,
  collect: async () => (await import('./collect.ts')).collect,
  team: async () => (await import('./team.ts')).team,
} as const

/** The same for commands that are not operations: `cli/` runs them. */
export const serviceLoaders = {
  receive: async () => (await import('./receive.ts')).receive,
  serve: async () => (await import('./serve.ts')).serve,
} as const

type Loaders = Readonly<Record<string, () => Promise<Command>>>

type Loaded<T extends Loaders> = { readonly [Name in keyof T]: Awaited<ReturnType<T[Name]>> }

/** All operations by name, for types. */
export type Ops = Loaded<typeof opLoaders>

/** Loads all commands of a table. */
export async function loadAll<T extends Loaders>(loaders: T): Promise<Loaded<T>> {
  const loaded = Object.entries(loaders).map(async ([name, load]) => [name, await load()])
  return Object.fromEntries(await Promise.all(loaded))
}
