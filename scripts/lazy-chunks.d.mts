import type { Rolldown } from 'tsdown'

/** A plugin for the program: what a file imports is loaded when something of it is first used. */
export function lazyChunks(): Rolldown.Plugin
