import type { JsonObject } from '../json.ts'
import { nullable, Type } from '../schema.ts'

const text = Type.String()
const nullableText = nullable(text)
const nullableNumber = nullable(Type.Number())

/** One part of a patch. */
export const HunkSchema = Type.Object({
  oldStart: Type.Number(),
  oldLines: Type.Number(),
  newStart: Type.Number(),
  newLines: Type.Number(),
  lines: Type.List(Type.String('Begins with +, - or a space')),
})

/** How a shell command ended. */
export const CommandDetailsSchema = Type.Object({
  kind: Type.Literal('command'),
  stderr: nullableText,
  returnCodeInterpretation: nullable(
    Type.String('What an exit code other than 0 means where it is no failure: `No matches found`'),
  ),
  backgroundTaskId: nullable(Type.String('The task that goes on in the background')),
})

/** What a person answered to a question. */
export const AnswerSchema = Type.Object({ question: text, answer: text })

/** A page of the web that was found. */
export const LinkSchema = Type.Object({ title: nullableText, url: text })

/** A task of the session's list. */
export const ListedTaskSchema = Type.Object({ id: nullableText, subject: text, status: text })

/** What the client noted of an answer beside the text that the model was given. */
export const ToolDetailsSchema = Type.Union([
  CommandDetailsSchema,
  Type.Object({ kind: Type.Literal('answers'), answers: Type.List(AnswerSchema) }),
  Type.Object({ kind: Type.Literal('plan'), plan: text }),
  Type.Object({ kind: Type.Literal('links'), links: Type.List(LinkSchema) }),
  Type.Object({ kind: Type.Literal('tasks'), tasks: Type.List(ListedTaskSchema) }),
])

/** What came back from a tool. */
export const ToolOutcomeSchema = Type.Object({
  outcome: Type.Choice(
    ['done', 'failed', 'declined', 'interrupted', 'unanswered'],
    'How it ended: `unanswered` while nothing has come back, `declined` where a person said no before it ran',
  ),
  result: nullable(Type.String('The text that the model was given')),
  isError: nullable(Type.Boolean()),
  exitCode: nullableNumber,
  durationMs: nullableNumber,
  images: Type.Integer(),
  overflow: nullable(Type.String('The file in `tool-results/` that holds an output too large for the log')),
  patch: nullable(Type.List(HunkSchema, 'What an edit changed')),
  details: nullable(ToolDetailsSchema),
})

/** A call of a tool with its outcome. */
export const ToolCallSchema = Type.Object({
  id: text,
  name: text,
  input: Type.Unsafe<JsonObject>({ type: 'object', description: 'As the model wrote it' }),
  runBy: Type.Choice(['client', 'api'], 'Claude Code, or the API itself while it answered'),
  ...ToolOutcomeSchema.properties,
})
