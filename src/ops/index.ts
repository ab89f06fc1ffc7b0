import { agents } from './agents.ts'
import { check } from './check.ts'
import { doctor } from './doctor.ts'
import { files } from './files.ts'
import { memory } from './memory.ts'
import { path } from './path.ts'
import { plans } from './plans.ts'
import { projects } from './projects.ts'
import { prompts } from './prompts.ts'
import { resume } from './resume.ts'
import { sessions } from './sessions.ts'
import { show } from './show.ts'
import { skills } from './skills.ts'
import { status } from './status.ts'
import { tail } from './tail.ts'
import { todos } from './todos.ts'
import { tree } from './tree.ts'

/** Everything annals can do. */
export const ops = {
  agents,
  check,
  doctor,
  files,
  memory,
  path,
  plans,
  projects,
  prompts,
  resume,
  sessions,
  show,
  skills,
  status,
  tail,
  todos,
  tree,
} as const
