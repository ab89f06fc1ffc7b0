/** The numbers of a response as a log holds it; NaN stands for none. */
export const RESPONSE_NUMBERS = [
  'line',
  'offset',
  'length',
  'rows',
  'time',
  'last_offset',
  'written',
  'marked',
  'forked',
  'made',
  'named',
  'fast',
  'input',
  'output',
  'cache_read',
  'write_5m',
  'write_1h',
  'web_searches',
  'turn',
  'sidechain',
  'abandoned',
  'placeholder',
] as const

/** The responses of a log by columns: a thread hands on numbers in one piece. */
export interface ResponseRows {
  readonly messages: readonly string[]
  readonly requests: readonly (string | null)[]
  readonly models: readonly string[]
  readonly geos: readonly (string | null)[]
  /** `RESPONSE_NUMBERS` of each, one after the other. */
  readonly numbers: Float64Array<ArrayBuffer>
}

/** Where a number stands among those of a response. */
export function numberIndex(name: (typeof RESPONSE_NUMBERS)[number]): number {
  return RESPONSE_NUMBERS.indexOf(name)
}
