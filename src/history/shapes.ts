import type { Place } from '../core/log/place.ts'
import { nullable, type Properties, Type } from '../core/schema.ts'

export { nullable }

export const NullableString = nullable(Type.String())
export const NullableNumber = nullable(Type.Number())

/** The four fields of a place, for items that carry them themselves. */
export const placeFields = {
  file: Type.String('Absolute path of the log'),
  line: Type.Integer('Line, counted from 1'),
  offset: Type.Integer('First byte'),
  length: Type.Integer('Bytes, without the newline'),
} satisfies Properties

export const PlaceShape = Type.Object(placeFields)

/** A place as plain fields. */
export function placeOf({ file, line, offset, length }: Place): Place {
  return { file, line, offset, length }
}

export const UsageShape = Type.Object({
  responses: Type.Integer(),
  inputTokens: Type.Number(),
  outputTokens: Type.Number(),
  cacheReadTokens: Type.Number(),
  cacheWrite5mTokens: Type.Number(),
  cacheWrite1hTokens: Type.Number(),
  webSearches: Type.Number(),
})

/** Input fields that many operations share. */
export const scopeInput = {
  project: Type.Optional(Type.String('Only this project: its path, its name in lists, or its folder under projects/')),
  under: Type.Optional(Type.String('Only projects in this folder and below')),
  here: Type.Optional(Type.Boolean('Only the repository you are in, with its worktrees')),
} satisfies Properties

export const timeInput = {
  since: Type.Optional(
    Type.String('Since then: today, monday, "last week", 7d, 1mo, 2026-11, 2026-11-01 or an ISO time'),
  ),
  until: Type.Optional(Type.String('Until the end of then, in the same forms; 7d is 7 days ago')),
} satisfies Properties

export const limitInput = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Show at most this many' })),
} satisfies Properties

export const timezoneInput = {
  timezone: Type.Optional(Type.String('The time zone of days, such as Europe/Berlin (default: yours)')),
}
