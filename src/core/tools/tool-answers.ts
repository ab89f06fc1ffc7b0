import { type JsonObject, objectsAt, parseJson, stringAt, textAt } from '../json.ts'
import { resultText } from './tool-call.ts'
import { type Link, linksIn } from './tool-details.ts'
import type { MeantCall, MeantTask, Question, ShellMeaning } from './tool-meaning.ts'

/** What a command printed. The client joins both streams; where it also notes the second one, they are told apart again. */
export function shellOutput(call: MeantCall): Pick<ShellMeaning, 'stdout' | 'stderr' | 'returnCodeInterpretation'> {
  const printed = resultText(call)
  const noted = call.details?.kind === 'command' ? call.details : undefined
  const returnCodeInterpretation = noted?.returnCodeInterpretation ?? null
  const stderr = noted?.stderr?.trimEnd() ?? ''
  const all = printed.trimEnd()
  if (stderr === '' || !all.endsWith(stderr)) return { stdout: printed, stderr: '', returnCodeInterpretation }
  return { stdout: all.slice(0, -stderr.length), stderr, returnCodeInterpretation }
}

/** The questions of a call with what was answered. */
export function questionsAsked(call: MeantCall): readonly Question[] {
  const noted = call.details?.kind === 'answers' ? call.details.answers : []
  return objectsAt(call.input, 'questions').map((asked) => {
    const question = stringAt(asked, 'question') ?? ''
    const answer = noted.find((one) => one.question === question)?.answer ?? answerIn(call.result ?? '', question)
    const chosen = answer === null ? [] : [answer, ...answer.split(', ')]
    const options = objectsAt(asked, 'options').map((option) => {
      const label = stringAt(option, 'label') ?? ''
      return { label, description: textAt(option, 'description') ?? null, isChosen: chosen.includes(label) }
    })
    return { question, options, answer }
  })
}

/** An answer as the client tells it to the model: `"question"="answer"`. */
function answerIn(result: string, question: string): string | null {
  const at = question === '' ? -1 : result.indexOf(`"${question}"="`)
  if (at === -1) return null
  const from = at + question.length + 4
  const end = /"(?:,|\.|\s|$)/.exec(result.slice(from))
  return end ? result.slice(from, from + end.index) : result.slice(from)
}

/** The pages that a search found, and what else it said. The client writes pages as `Links: [{"title":…,"url":…}]`. */
export function linksFound(call: MeantCall): { readonly links: readonly Link[]; readonly said: string } {
  const noted = call.details?.kind === 'links' ? call.details.links : []
  const told: Link[] = []
  const said = resultText(call)
    .split('\n')
    .filter((line) => {
      const found = line.startsWith('Links: ') ? parseJson(line.slice('Links: '.length)) : undefined
      told.push(...linksIn(found))
      return !Array.isArray(found)
    })
    .join('\n')
  // What the API ran itself says nothing but its links.
  return { links: told.length > 0 ? told : noted, said: told.length === 0 && noted.length > 0 ? '' : said }
}

/** The things to do that a call wrote, changed or listed. */
export function tasksMeant(
  kind: 'todos' | 'task-create' | 'task-update' | 'task-list',
  { input, result, details }: MeantCall,
): readonly MeantTask[] {
  const noted = details?.kind === 'tasks' ? details.tasks.map((task) => ({ ...task, description: null })) : []
  if (kind === 'task-list') return noted.length > 0 ? noted : tasksListed(result ?? '')
  if (kind === 'todos') return objectsAt(input, 'todos').map(todoOf)
  const given = {
    subject: stringAt(input, 'subject') ?? '',
    status: textAt(input, 'status') ?? (kind === 'task-create' ? 'pending' : 'changed'),
    description: textAt(input, 'description') ?? null,
  }
  return [{ id: textAt(input, 'taskId') ?? noted[0]?.id ?? null, ...given }]
}

function todoOf(todo: JsonObject): MeantTask {
  const subject = stringAt(todo, 'content') ?? ''
  return { id: null, subject, status: textAt(todo, 'status') ?? 'pending', description: null }
}

/** Tasks as the client lists them to the model: `#1 [completed] Subject`. */
function tasksListed(result: string): readonly MeantTask[] {
  return result.split('\n').flatMap((line) => {
    const [, id, status, subject] = /^#(\S{1,40}) \[([a-z_]{1,20})\] (.*)$/.exec(line.trim()) ?? []
    if (id === undefined || status === undefined || subject === undefined) return []
    return [{ id, status, subject, description: null }]
  })
}
