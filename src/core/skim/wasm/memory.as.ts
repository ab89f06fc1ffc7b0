import { BLOCK_WORDS, MAX_BLOCKS, MAX_ROWS, ROW_WORDS } from '../layout'
import { MAX_FILES } from './limits.as'

/** What lies where in the memory, behind the data of the program itself. The bytes of a log come last, so that they can grow. */
export class Area {
  static names: usize = 0
  static rows: usize = 0
  static blocks: usize = 0
  static files: usize = 0
  static bytes: usize = 0
}

export const ROW_BYTES: usize = ROW_WORDS * 4
export const BLOCK_BYTES: usize = BLOCK_WORDS * 4

Area.names = (__heap_base + 63) & ~63
Area.rows = Area.names + (1 << 20) + (1 << 18)
Area.blocks = Area.rows + <usize>MAX_ROWS * ROW_BYTES
Area.files = Area.blocks + <usize>MAX_BLOCKS * BLOCK_BYTES
Area.bytes = Area.files + MAX_FILES * 8
