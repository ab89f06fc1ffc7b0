import { foldCharacter, kindOf, NEXT } from '../search/words.ts'
import { leftEngine } from './left-engine.ts'
import { SKIM_WASM } from './skim-wasm.ts'

/** What skims: the compiled program, or one that leaves every line to the parser. Addresses are bytes of its memory. */
export interface SkimEngine {
  readonly memory: SkimMemory
  rowsAt(): number
  blocksAt(): number
  filesAt(): number
  bytesAt(): number
  /** Skims lines between two addresses, of which the last ends with a newline. Gives how many rows it filled. */
  skim(from: number, to: number): number
  /** Where that ended, and how many lines it passed. */
  skimEnd(): number
  skimLines(): number
  /** Where the place of a name is, and a number that grows when names are given anew. */
  nameAt(name: number): number
  nameGeneration(): number
  /** Texts of one row: begun with the address they are written to; their length at the end, -1 where the parser has to read. */
  beginText(out: number): void
  addText(at: number): void
  addStrings(at: number): void
  addInput(at: number): void
  addDetails(at: number): void
  endText(): number
  fileCount(): number
  /** How long a JSON string is in UTF-8, quotes and escapes aside; -1 where one of its escapes is by number. */
  decodedLength(at: number, length: number): number
  /** The parts of a text; their length, -1 where `core/words` has to make them. */
  parts(from: number, length: number, out: number, room: number): number
}

/** A memory that grows by pages of 64 KiB; its buffer is another one afterwards. */
export interface SkimMemory {
  readonly buffer: ArrayBufferLike
  grow(pages: number): number
}

/** A compiled program, which threads may share. */
export type SkimModule = object

/** Compiles the skim; `null` where the machine has no WebAssembly with SIMD. */
export function compileSkim(wasm: WasmApi | undefined = ambientWasm()): SkimModule | null {
  return wasm?.validate(SIMD_PROBE) ? new wasm.Module(decodeBase64(SKIM_WASM)) : null
}

/** An engine of a compiled module; without one, it leaves everything to the parser. */
export function startEngine(module: SkimModule | null): SkimEngine {
  const wasm = ambientWasm()
  if (module === null || wasm === undefined) return leftEngine()
  const words = {
    kindOf: (code: number) => kindAndDigit(String.fromCodePoint(code), code),
    foldOf: (code: number) => foldCharacter(String.fromCodePoint(code)).codePointAt(0) ?? NO_FOLD,
  }
  const engine = new wasm.Instance(module, { words }).exports as unknown as SkimEngine & { partTables(): number }
  new Uint8Array(engine.memory.buffer).set(NEXT, engine.partTables())
  return engine
}

const NO_FOLD = 0xffff
/** Marks decimal digits beyond the first plane, which are digits to a number but not to a word. */
const IS_FAR_DIGIT = 16

function kindAndDigit(character: string, code: number): number {
  return kindOf(character) | (code > 0xffff && /^\p{Nd}$/u.test(character) ? IS_FAR_DIGIT : 0)
}

/** A module with one function that makes a vector: valid only where SIMD is. */
const SIMD_PROBE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
)

/** As much of WebAssembly as is used: its types are part of no library that both Node and browsers have. */
export interface WasmApi {
  validate(bytes: Uint8Array): boolean
  readonly Module: new (bytes: Uint8Array) => SkimModule
  readonly Instance: new (module: SkimModule, imports: object) => { readonly exports: object }
}

function ambientWasm(): WasmApi | undefined {
  return (globalThis as { readonly WebAssembly?: WasmApi }).WebAssembly
}

function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
