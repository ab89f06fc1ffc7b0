import { isObject, type JsonObject, objectsAt, parseJson, stringAt } from '../../src/core/json.ts'

/** The rows that hold tool results. */
export function results(rows: readonly JsonObject[]): readonly JsonObject[] {
  return rows.filter((row) => typesIn(row).includes('tool_result'))
}

/** The kinds of a row's content blocks. */
export function typesIn(row: JsonObject | undefined): readonly string[] {
  return objectsAt(row?.message, 'content').flatMap((block) => stringAt(block, 'type') ?? [])
}

/** The text of a file. */
export function textOf(content: string | Uint8Array): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content)
}

/** The rows of a log file. */
export function rowsOf(content: string | Uint8Array): readonly JsonObject[] {
  return textOf(content)
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)
}
