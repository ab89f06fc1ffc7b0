import { arrayAt, isObject, type JsonValue, objectAt, objectsAt, stringAt, textAt } from '../json.ts'

/** What the client noted of an answer beside the text that the model was given. */
export type ToolDetails =
  | CommandDetails
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
  | { readonly kind: 'plan'; readonly plan: string }
  | { readonly kind: 'links'; readonly links: readonly Link[] }
  | { readonly kind: 'tasks'; readonly tasks: readonly ListedTask[] }

/** How a shell command ended. */
export interface CommandDetails {
  readonly kind: 'command'
  readonly stderr: string | null
  /** What an exit code other than 0 means where it is no failure: `No matches found`. */
  readonly returnCodeInterpretation: string | null
  /** The task that goes on in the background. */
  readonly backgroundTaskId: string | null
}

/** What a person answered to a question. */
export interface Answer {
  readonly question: string
  readonly answer: string
}

/** A page of the web that was found. */
export interface Link {
  readonly title: string | null
  readonly url: string
}

/** A task of the session's list. */
export interface ListedTask {
  readonly id: string | null
  readonly subject: string
  readonly status: string
}

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
