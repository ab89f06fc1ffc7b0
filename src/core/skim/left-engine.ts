import type { SkimEngine, SkimMemory } from './engine.ts'
import { LEFT, LENGTH, LINE, MAX_ROWS, OFFSET, ROW_WORDS, VERDICT } from './layout.ts'

const PAGE = 65536
const ROWS_AT = 0
const BYTES_AT = MAX_ROWS * ROW_WORDS * 4

/** The engine of machines without WebAssembly SIMD: it finds the lines and leaves each of them to the parser. */
export function leftEngine(): SkimEngine {
  const memory = new PlainMemory()
  let end = 0
  let lines = 0
  return {
    memory,
    rowsAt: () => ROWS_AT,
    blocksAt: () => ROWS_AT,
    filesAt: () => ROWS_AT,
    bytesAt: () => BYTES_AT,
    skim(from, to) {
      const bytes = new Uint8Array(memory.buffer)
      const rows = new Int32Array(memory.buffer, ROWS_AT, MAX_ROWS * ROW_WORDS)
      let count = 0
      end = from
      for (lines = 0; end < to && count < MAX_ROWS; lines++) {
        const newline = bytes.indexOf(0x0a, end)
        if (newline > end) {
          const row = count++ * ROW_WORDS
          rows.fill(0, row, row + ROW_WORDS)
          rows[row + OFFSET] = end
          rows[row + LENGTH] = newline - end
          rows[row + LINE] = lines
          rows[row + VERDICT] = LEFT
        }
        end = newline + 1
      }
      return count
    },
    skimEnd: () => end,
    skimLines: () => lines,
    ...NO_TEXTS,
  }
}

/** No row is plain, so nobody asks for its names and texts. */
const NO_TEXTS = {
  nameAt: () => 0,
  nameGeneration: () => 0,
  beginText: () => {},
  addText: () => {},
  addStrings: () => {},
  addInput: () => {},
  addDetails: () => {},
  endText: () => -1,
  decodedLength: () => -1,
  fileCount: () => 0,
  parts: () => -1,
}

class PlainMemory implements SkimMemory {
  buffer: ArrayBufferLike = new ArrayBuffer(2 * PAGE)

  grow(pages: number): number {
    const before = this.buffer.byteLength
    const larger = new Uint8Array(before + pages * PAGE)
    larger.set(new Uint8Array(this.buffer))
    this.buffer = larger.buffer
    return before / PAGE
  }
}
