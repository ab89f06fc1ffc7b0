import { arrayAt, isObject, type JsonValue, objectAt, objectsAt, stringAt, textAt } from '../json.ts'
import type { Static } from '../schema.ts'
import type { AnswerSchema, LinkSchema, ListedTaskSchema, ToolDetailsSchema } from './tool-schema.ts'

/** What the client noted of an answer beside the text that the model was given. */
export type ToolDetails = Readonly<Static<typeof ToolDetailsSchema>>

/** What a person answered to a question. */
type Answer = Readonly<Static<typeof AnswerSchema>>

/** A page of the web that was found. */
export type Link = Readonly<Static<typeof LinkSchema>>

/** A task of the session's list. */
export type ListedTask = Readonly<Static<typeof ListedTaskSchema>>

/** Reads what the client noted of an answer (`toolUseResult`); `null` where it is nothing more than the text. */
export function detailsOf(tool: string, noted: JsonValue | undefined): ToolDetails | null {
  if (!isObject(noted)) return null
  switch (tool) {
    case 'Bash':
      return {
        kind: 'command',
        stderr: textAt(noted, 'stderr') ?? null,
        returnCodeInterpretation: textAt(noted, 'returnCodeInterpretation') ?? null,
        backgroundTaskId: textAt(noted, 'backgroundTaskId') ?? null,
      }
    case 'AskUserQuestion':
      return { kind: 'answers', answers: answersIn(objectAt(noted, 'answers') ?? {}) }
    case 'ExitPlanMode':
    case 'exit_plan_mode': {
      const plan = textAt(noted, 'plan')
      return plan === undefined ? null : { kind: 'plan', plan }
    }
    case 'WebSearch':
      return {
        kind: 'links',
        links: objectsAt(noted, 'results').flatMap((found) => linksIn(arrayAt(found, 'content'))),
      }
    case 'TaskCreate':
      return { kind: 'tasks', tasks: tasksIn([objectAt(noted, 'task')]) }
    case 'TaskList':
      return { kind: 'tasks', tasks: tasksIn(arrayAt(noted, 'tasks')) }
    default:
      return null
  }
}

function answersIn(answers: object): readonly Answer[] {
  return Object.entries(answers).flatMap(([question, answer]) =>
    typeof answer === 'string' ? [{ question, answer }] : [],
  )
}

/** The links of a list; whatever has no address is passed over. */
export function linksIn(value: unknown): readonly Link[] {
  return (Array.isArray(value) ? value : []).flatMap((one) => {
    const url = textAt(one, 'url')
    return url === undefined ? [] : [{ title: textAt(one, 'title') ?? null, url }]
  })
}

function tasksIn(tasks: readonly (JsonValue | undefined)[]): readonly ListedTask[] {
  return tasks.filter(isObject).map((task) => ({
    id: textAt(task, 'id') ?? null,
    subject: stringAt(task, 'subject') ?? '',
    status: textAt(task, 'status') ?? 'pending',
  }))
}
