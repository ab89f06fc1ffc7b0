import { type Static, Type } from '../schema.ts'
import { nullable, optional, string, strings, unknown } from './shape.ts'

/** One entry of a TodoWrite list; 1.0.x had `id` and `priority` where later clients have `activeForm`. */
export const todo = Type.Object({
  content: string,
  status: string,
  ...optional({ activeForm: string, id: string, priority: string }),
})

/** One task of the Task* tools, as it stands in tasks/<list>/<n>.json and in their results. */
export const task = Type.Object({
  id: string,
  subject: string,
  ...optional({
    description: string,
    activeForm: string,
    status: string,
    blocks: strings,
    blockedBy: strings,
    owner: nullable(string),
    metadata: unknown,
  }),
})

/** One entry of a TodoWrite list. */
export type Todo = Static<typeof todo>
/** One task of a shared task list. */
export type Task = Static<typeof task>
