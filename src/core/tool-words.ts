import { arrayAt, type JsonObject, objectsAt, stringAt, textAt } from './json.ts'

/** What was asked, of a call that asks questions. */
export function questionsOf(input: JsonObject): string {
  return objectsAt(input, 'questions')
    .map((question) => textAt(question, 'question') ?? '')
    .join(' / ')
}

/** The first line of a plan that says something, without the marks of a heading. */
export function planTitleOf(input: JsonObject): string {
  const lines = (stringAt(input, 'plan') ?? '').split('\n')
  return (lines.find((line) => line.trim() !== '') ?? '').replace(/^#+\s*/, '')
}

/** What became of a task: `#3 in progress Write the test`. */
export function taskUpdateOf(input: JsonObject): string {
  const status = (textAt(input, 'status') ?? 'changed').replaceAll('_', ' ')
  return `#${textAt(input, 'taskId') ?? ''} ${status} ${textAt(input, 'subject') ?? ''}`.trim()
}

/** How far a list of things to do has come: `1 of 2 done`. */
export function todosDoneOf(input: JsonObject): string {
  const done = objectsAt(input, 'todos').filter((todo) => stringAt(todo, 'status') === 'completed').length
  return `${done} of ${arrayAt(input, 'todos').length} done`
}
