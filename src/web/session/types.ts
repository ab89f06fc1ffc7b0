import type { OpResult } from '../api.ts'

/** A session's outline, as the server tells it. */
export type Outline = OpResult<'outline'>

/** A row of the conversation that shows something. */
export type Row = OpResult<'read'>['rows'][number]

/** What a turn was begun with. */
export type RowPrompt = NonNullable<Row['prompt']>

/** An item of a row: `kind` says which fields it has. */
export type RowItem = Row['items'][number]

/** A tool call of a row. */
export type ToolCall = Extract<RowItem, { kind: 'tool' }>

/** An agent as the call that started it tells of it. */
export type AgentLine = ToolCall['agents'][number]

/** An agent's card. */
export type AgentItem = Outline['agents'][number]

/** A way that a conversation took. */
export type Branch = Outline['branches'][number]
