// The least that a reader of lines can do: one buffer, and where each line lies in it.
import { closeSync, openSync, readSync } from 'node:fs'

let buffer = newBuffer(1 << 20)

/** Calls back with where each line of a log lies in the buffer; gives their number. */
export function eachLine(path, onLine) {
  const file = openSync(path)
  let held = 0
  let lines = 0
  for (let count = 1; count > 0; ) {
    count = readSync(file, buffer, held, buffer.length - held, null)
    const found = linesIn(held + count, onLine)
    lines += found.lines
    held += count - found.end
    const next = held === buffer.length ? newBuffer(2 * held) : buffer
    buffer.copy(next, 0, found.end, found.end + held)
    buffer = next
  }
  closeSync(file)
  return lines
}

/** JSON.parse of every line of a log; gives their number. */
export function parseLines(path) {
  return eachLine(path, parse)
}

/** JSON.parse of the lines in a range of a log, by someone who knows already where they are. */
export function parseRange(path, from, to) {
  const file = openSync(path)
  const count = readSync(file, buffer, 0, to - from, from)
  closeSync(file)
  return linesIn(count, parse).lines
}

/** Not at the start of a page: some processors copy there several times slower, and a floor must not. */
export function newBuffer(size) {
  return Buffer.allocUnsafeSlow(size + 64).subarray(64)
}

function linesIn(length, onLine) {
  const bytes = buffer.subarray(0, length)
  let end = 0
  let lines = 0
  for (let newline = bytes.indexOf(0x0a); newline !== -1; newline = bytes.indexOf(0x0a, end)) {
    onLine(end, newline)
    end = newline + 1
    lines++
  }
  return { lines, end }
}

function parse(from, to) {
  JSON.parse(buffer.utf8Slice(from, to))
}
