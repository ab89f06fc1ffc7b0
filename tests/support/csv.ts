/** Reads CSV as RFC 4180 says, and nothing else: what is not CSV throws. */
export function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at)
    row.push(cell.value)
    at = cell.end
    if (text[at] === ',') {
      at++
      if (at === text.length) throw new Error('The text ends behind a comma.')
      continue
    }
    const newline = /^\r?\n/.exec(text.slice(at, at + 2))?.[0]
    if (newline === undefined) throw new Error(`A cell goes on behind its end: ${text.slice(at, at + 20)}`)
    at += newline.length
    rows.push(row)
    row = []
  }
  return rows
}

function quotedCell(text: string, from: number) {
  let value = ''
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] !== '"') value += text[at]
    else if (text[at + 1] === '"') {
      value += '"'
      at++
    } else return { value, end: at + 1 }
  }
  throw new Error('A quote is not closed.')
}

function plainCell(text: string, from: number) {
  const end = text.slice(from).search(/[,\r\n]/)
  const value = end === -1 ? text.slice(from) : text.slice(from, from + end)
  if (value.includes('"')) throw new Error(`A quote stands inside a cell: ${value}`)
  return { value, end: from + value.length }
}
