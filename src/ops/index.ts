import { agents } from './agents.ts'
import { check } from './check.ts'
import { doctor } from './doctor.ts'
import { files } from './files.ts'
import { indexing } from './indexing.ts'
import { memory } from './memory.ts'
import { path } from './path.ts'
import { plans } from './plans.ts'
import { projects } from './projects.ts'
import { prompts } from './prompts.ts'
import { receipt } from './receipt.ts'
import { resume } from './resume.ts'
import { search } from './search.ts'
import { sessions } from './sessions.ts'
import { show } from './show.ts'
import { skills } from './skills.ts'
import { stats } from './stats.ts'
import { status } from './status.ts'
import { statusline } from './statusline.ts'
import { tail } from './tail.ts'
import { todos } from './todos.ts'
import { tree } from './tree.ts'
import { usage } from './usage.ts'

/** Everything annals can do. */
export const ops = {
  agents,
  check,
  doctor,
  files,
  index: indexing,
  memory,
  path,
  plans,
  projects,
  prompts,
  receipt,
  resume,
  search,
  sessions,
  show,
  skills,
  stats,
  status,
  statusline,
  tail,
  todos,
  tree,
  usage,
} as const
