import { agents } from './agents.ts'
import { archive } from './archive.ts'
import { attribution } from './attribution.ts'
import { blame } from './blame.ts'
import { check } from './check.ts'
import { collect } from './collect.ts'
import { context } from './context.ts'
import { doctor } from './doctor.ts'
import { edit } from './edit/edit.ts'
import { move } from './edit/move.ts'
import { note } from './edit/note.ts'
import { rename } from './edit/rename.ts'
import { star } from './edit/star.ts'
import { tag } from './edit/tag.ts'
import { undo } from './edit/undo.ts'
import { exporting } from './export.ts'
import { files } from './files.ts'
import { find } from './find.ts'
import { importing } from './import.ts'
import { indexing } from './indexing.ts'
import { keep } from './keep.ts'
import { memory } from './memory.ts'
import { outline } from './outline.ts'
import { path } from './path.ts'
import { plans } from './plans.ts'
import { projects } from './projects.ts'
import { prompts } from './prompts.ts'
import { purge } from './purge.ts'
import { read } from './read.ts'
import { recap } from './recap.ts'
import { receipt } from './receipt.ts'
import { receive } from './receive.ts'
import { record } from './record.ts'
import { redact } from './redact.ts'
import { resume } from './resume.ts'
import { search } from './search.ts'
import { serve } from './serve.ts'
import { sessions } from './sessions.ts'
import { show } from './show.ts'
import { skills } from './skills.ts'
import { sql } from './sql.ts'
import { stats } from './stats.ts'
import { status } from './status.ts'
import { statusline } from './statusline.ts'
import { tail } from './tail.ts'
import { team } from './team.ts'
import { todos } from './todos.ts'
import { tree } from './tree.ts'
import { usage } from './usage.ts'

/** Everything annals can do. */
export const ops = {
  agents,
  archive,
  attribution,
  blame,
  check,
  collect,
  context,
  doctor,
  edit,
  export: exporting,
  files,
  find,
  import: importing,
  index: indexing,
  keep,
  memory,
  move,
  note,
  outline,
  path,
  plans,
  projects,
  prompts,
  purge,
  read,
  recap,
  receipt,
  record,
  redact,
  rename,
  resume,
  search,
  sessions,
  show,
  skills,
  sql,
  star,
  stats,
  status,
  statusline,
  tag,
  tail,
  team,
  todos,
  tree,
  undo,
  usage,
} as const

/** Commands that are no operation: `cli/` runs them. */
export const services = { receive, serve } as const
