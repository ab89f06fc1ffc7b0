import { FLAGS } from '../layout'
import { skipValue } from './values.as'
import { Walk } from './walk.as'

// @ts-ignore
@inline
export function addFlag(row: usize, flag: i32): void {
  store<i32>(row, load<i32>(row, FLAGS * 4) | flag, FLAGS * 4)
}

// @ts-ignore
@inline
export function hasFlag(row: usize, flag: i32): bool {
  return (load<i32>(row, FLAGS * 4) & flag) != 0
}

// @ts-ignore
@inline
export function putName(row: usize, column: usize, name: i32): void {
  store<i32>(row + column * 4, name)
}

// @ts-ignore
@inline
export function nameIn(row: usize, column: usize): i32 {
  return load<i32>(row + column * 4)
}

// @ts-ignore
@inline
export function putCount(row: usize, column: usize, count: f64): void {
  store<f64>(row + column * 8, count)
}

/** Passes a value and stores its place, quotes and brackets included. */
// @ts-ignore
@inline
export function readValue(into: usize): void {
  const from = Walk.p
  skipValue()
  store<u32>(into, <u32>from)
  store<i32>(into, <i32>(Walk.p - from), 4)
}
