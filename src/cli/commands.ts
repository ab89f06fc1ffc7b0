import type { Command, Op } from '../ops/op.ts'

/**
 * The commands, each loaded when it is used: starting up must not cost what all of them together need. A test holds this
 * list equal to the operations and services.
 */
export const commands: Readonly<Record<string, () => Promise<Op | Command>>> = {
  search: async () => (await import('../ops/search.ts')).search,
  sessions: async () => (await import('../ops/sessions.ts')).sessions,
  show: async () => (await import('../ops/show.ts')).show,
  outline: async () => (await import('../ops/outline.ts')).outline,
  read: async () => (await import('../ops/read.ts')).read,
  find: async () => (await import('../ops/find.ts')).find,
  tail: async () => (await import('../ops/tail.ts')).tail,
  tree: async () => (await import('../ops/tree.ts')).tree,
  context: async () => (await import('../ops/context.ts')).context,
  agents: async () => (await import('../ops/agents.ts')).agents,
  projects: async () => (await import('../ops/projects.ts')).projects,
  prompts: async () => (await import('../ops/prompts.ts')).prompts,
  plans: async () => (await import('../ops/plans.ts')).plans,
  todos: async () => (await import('../ops/todos.ts')).todos,
  files: async () => (await import('../ops/files.ts')).files,
  stats: async () => (await import('../ops/stats.ts')).stats,
  memory: async () => (await import('../ops/memory.ts')).memory,
  skills: async () => (await import('../ops/skills.ts')).skills,
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
  purge: async () => (await import('../ops/purge.ts')).purge,
  index: async () => (await import('../ops/indexing.ts')).indexing,
  status: async () => (await import('../ops/status.ts')).status,
  doctor: async () => (await import('../ops/doctor.ts')).doctor,
  serve: async () => (await import('../ops/serve.ts')).serve,
}
