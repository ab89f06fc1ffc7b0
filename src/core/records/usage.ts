import { type Static, Type } from '../schema.ts'
import { loose, nullable, nullableNumber, nullableString, number, optional, string, unknown } from './shape.ts'

const cacheCreation = Type.Object(optional({ ephemeral_5m_input_tokens: number, ephemeral_1h_input_tokens: number }))

/** One attempt inside a response. Fields follow the API, so more may come. */
const iteration = loose(
  optional({
    type: string,
    model: string,
    input_tokens: number,
    output_tokens: number,
    cache_creation_input_tokens: number,
    cache_read_input_tokens: number,
    cache_creation: nullable(cacheCreation),
  }),
)

/** The token counts of one API response, repeated on each of its rows. Null stands for "not known" on synthetic rows. */
export const usage = Type.Object({
  input_tokens: nullableNumber,
  output_tokens: nullableNumber,
  ...optional({
    cache_creation_input_tokens: nullableNumber,
    cache_read_input_tokens: nullableNumber,
    cache_creation: nullable(cacheCreation),
    service_tier: nullableString,
    server_tool_use: nullable(Type.Object(optional({ web_search_requests: number, web_fetch_requests: number }))),
    inference_geo: nullableString,
    speed: nullableString,
    iterations: nullable(Type.Array(iteration)),
    output_tokens_details: nullable(Type.Object(optional({ thinking_tokens: number }))),
    fallback_credit: unknown,
  }),
})

/** Token counts as the API reports them. */
export type Usage = Static<typeof usage>
