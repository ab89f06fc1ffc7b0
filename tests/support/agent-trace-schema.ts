import { Type } from 'typebox'

// The schema of a trace record, written out from the Agent Trace specification (RFC 0.1, agent-trace.dev): section 6.1 and the JSON
// Schema that is published with it, which is the stricter of the two: no property that it does not name.

const closed = { additionalProperties: false }

const contributor = Type.Object(
  {
    type: Type.Union([Type.Literal('human'), Type.Literal('ai'), Type.Literal('mixed'), Type.Literal('unknown')]),
    model_id: Type.Optional(Type.String({ maxLength: 250 })),
  },
  closed,
)

const range = Type.Object(
  {
    start_line: Type.Integer({ minimum: 1 }),
    end_line: Type.Integer({ minimum: 1 }),
    content_hash: Type.Optional(Type.String()),
    contributor: Type.Optional(contributor),
  },
  closed,
)

const related = Type.Object({ type: Type.String(), url: Type.String({ format: 'uri' }) }, closed)

const conversation = Type.Object(
  {
    url: Type.Optional(Type.String({ format: 'uri' })),
    contributor: Type.Optional(contributor),
    ranges: Type.Array(range),
    related: Type.Optional(Type.Array(related)),
  },
  closed,
)

/** A record of Agent Trace, as the specification has it. */
export const TRACE_RECORD = Type.Object(
  {
    version: Type.String({ pattern: '^[0-9]+\\.[0-9]+$' }),
    id: Type.String({
      pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$',
    }),
    timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z$' }),
    vcs: Type.Optional(
      Type.Object(
        { type: Type.Union(['git', 'jj', 'hg', 'svn'].map((name) => Type.Literal(name))), revision: Type.String() },
        closed,
      ),
    ),
    tool: Type.Optional(Type.Object({ name: Type.String(), version: Type.String() }, closed)),
    files: Type.Array(Type.Object({ path: Type.String(), conversations: Type.Array(conversation) }, closed)),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
)
