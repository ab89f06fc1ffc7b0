import type { Rolldown } from 'tsdown'

/** A plugin for the program: modules of Node are taken as they are, not imported. */
export function builtinModules(): Rolldown.Plugin
