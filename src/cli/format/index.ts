import type { Static } from '../../core/schema.ts'
import type { Ops } from '../../ops/index.ts'
import type { View } from '../view.ts'
import type { Lines } from './parts/lines.ts'

/** Makes the lines that a person reads of an operation's result. */
export type Format<Name extends keyof Ops> = (result: Static<Ops[Name]['result']>, view: View) => Lines

/** The formatters of all operations. Each is loaded when it is asked for, so that a command waits for no other. */
export const formats: { readonly [Name in keyof Ops]: () => Promise<Format<Name>> } = {
  agents: async () => (await import('./agents.ts')).formatAgents,
  archive: async () => (await import('./archive.ts')).formatArchive,
  attribution: async () => (await import('./attribution.ts')).formatAttribution,
  blame: async () => (await import('./blame.ts')).formatBlame,
  check: async () => (await import('./check.ts')).formatCheck,
  collect: async () => (await import('./collect.ts')).formatCollect,
  context: async () => (await import('./outline/context.ts')).formatContext,
  doctor: async () => (await import('./doctor.ts')).formatDoctor,
  edit: async () => (await import('./edit.ts')).formatEdit,
  export: async () => (await import('./export.ts')).formatExport,
  files: async () => (await import('./files.ts')).formatFiles,
  find: async () => (await import('./find.ts')).formatFind,
  import: async () => (await import('./import.ts')).formatImport,
  index: async () => (await import('./indexing.ts')).formatIndex,
  keep: async () => (await import('./keep.ts')).formatKeep,
  memory: async () => (await import('./memory.ts')).formatMemory,
  move: async () => (await import('./edit.ts')).formatEdit,
  note: async () => (await import('./edit.ts')).formatMark,
  outline: async () => (await import('./outline/outline.ts')).formatOutline,
  path: async () => (await import('./path.ts')).formatPath,
  plans: async () => (await import('./plans.ts')).formatPlans,
  projects: async () => (await import('./projects.ts')).formatProjects,
  prompts: async () => (await import('./prompts.ts')).formatPrompts,
  purge: async () => (await import('./purge.ts')).formatPurge,
  read: async () => (await import('./read.ts')).formatRead,
  recap: async () => (await import('./recap.ts')).formatRecap,
  receipt: async () => (await import('./receipt.ts')).formatReceipt,
  record: async () => (await import('./record.ts')).formatRecord,
  redact: async () => (await import('./redact.ts')).formatRedact,
  rename: async () => (await import('./edit.ts')).formatEdit,
  resume: async () => (await import('./resume.ts')).formatResume,
  search: async () => (await import('./search.ts')).formatSearch,
  sessions: async () => (await import('./sessions.ts')).formatSessions,
  show: async () => (await import('./show.ts')).formatShow,
  skills: async () => (await import('./skills.ts')).formatSkills,
  sql: async () => (await import('./sql.ts')).formatSql,
  star: async () => (await import('./edit.ts')).formatMark,
  stats: async () => (await import('./stats.ts')).formatStats,
  status: async () => (await import('./status.ts')).formatStatus,
  statusline: async () => (await import('./statusline.ts')).formatStatusline,
  tag: async () => (await import('./edit.ts')).formatEdit,
  tail: async () => (await import('./tail.ts')).formatTail,
  team: async () => (await import('./team.ts')).formatTeam,
  timeline: async () => (await import('./outline/timeline.ts')).formatTimeline,
  todos: async () => (await import('./todos.ts')).formatTodos,
  tree: async () => (await import('./tree.ts')).formatTree,
  undo: async () => (await import('./edit.ts')).formatUndo,
  usage: async () => (await import('./usage.ts')).formatUsage,
}

/** The same for what comes after the first result of operations that stay and watch. */
export const followFormats = {
  collect: async () => (await import('./collect.ts')).formatCollect,
  index: async () => (await import('./indexing.ts')).formatIndex,
  tail: async () => (await import('./tail.ts')).formatFollow,
  usage: async () => (await import('./usage.ts')).formatUsageAnew,
} as const satisfies { readonly [Name in keyof Ops]?: () => Promise<Format<Name>> }
