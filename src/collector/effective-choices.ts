import { type Choices, CONTENT_CHOICES, checkChoices, NAME_CHOICES, usualChoices } from './choices.ts'
import type { CollectAsked } from './run/shape.ts'
import type { CollectSettings } from './settings.ts'

/** A settings file, and what it says. */
export interface SettingsLayer {
  readonly file: string
  readonly settings: CollectSettings
}

/** One choice as it holds, and where it comes from. */
export interface EffectiveChoice {
  readonly name: keyof Choices
  readonly value: string
  /** `default`, a flag, or the path of a settings file. */
  readonly from: string
  /** What a flag, the user's file or the default says where a managed file allows less; else `null`. */
  readonly limited: string | null
}

/** What leaves, and where each part of the choice comes from. */
export interface EffectiveChoices {
  readonly choices: Choices
  readonly sources: readonly EffectiveChoice[]
}

/** The flag of each choice. */
export const CHOICE_FLAGS = {
  content: 'content',
  user: 'user',
  paths: 'paths',
  toolResults: 'tool-results',
  checkpoints: 'checkpoints',
  toolNames: 'tool-names',
  agentTypes: 'agent-types',
  lengths: 'lengths',
} as const

/** From what tells least to what tells most. */
const LEAST_FIRST: Readonly<Record<keyof Choices, readonly (string | boolean)[]>> = {
  content: CONTENT_CHOICES,
  user: [...NAME_CHOICES].reverse(),
  paths: [...NAME_CHOICES].reverse(),
  toolResults: [false, true],
  checkpoints: [false, true],
  toolNames: [false, true],
  agentTypes: [false, true],
  lengths: [false, true],
}

/**
 * What leaves: flags before the user's settings before the default, and never more than the managed files allow. Throws where
 * a person chose two things that cannot both be kept.
 */
export function effectiveChoices(
  input: CollectAsked,
  own: SettingsLayer,
  managed: readonly SettingsLayer[],
  isOwnFolder: boolean,
): EffectiveChoices {
  const usual = usualChoices(isOwnFolder)
  const asked = (name: keyof Choices, fallback: string | boolean): Chosen => {
    const flag = input[CHOICE_FLAGS[name]]
    if (flag !== undefined) return { value: flag, from: `--${CHOICE_FLAGS[name]}`, limited: null }
    const set = own.settings[name]
    return set === undefined
      ? { value: fallback, from: 'default', limited: null }
      : { value: set, from: own.file, limited: null }
  }
  const limited = (name: keyof Choices, chosen: Chosen): Chosen =>
    managed.reduce((now, { file, settings }) => lessOf(name, now, settings[name], file), chosen)
  const paths = (content: Chosen) => limited('paths', asked('paths', content.value === 'all' ? 'real' : usual.paths))
  const asContent = limited('content', asked('content', usual.content))
  // Whole records name paths: where these may not leave as they are, records may not leave whole.
  const strict = managed.find(({ settings }) => settings.paths !== undefined && settings.paths !== 'real')
  const content = strict ? lessOf('content', asContent, 'prompts', strict.file) : asContent
  const isAll = content.value === 'all'
  const part = (name: keyof Choices, isHeld: boolean): Chosen => {
    if (isHeld) return { value: true, from: content.from, limited: null }
    const chosen = asked(name, false)
    // Set once for whole records, or asked for before a managed file said less: then it does not hold.
    const isMoot =
      !isAll && chosen.value === true && WITH_ALL.has(name) && (content.limited || chosen.from === own.file)
    return isMoot ? { value: false, from: content.from, limited: null } : limited(name, chosen)
  }
  const chosen: Readonly<Record<keyof Choices, Chosen>> = {
    content,
    user: limited('user', asked('user', usual.user)),
    paths: paths(content),
    toolResults: part('toolResults', false),
    checkpoints: part('checkpoints', false),
    // Whole records hold them.
    toolNames: part('toolNames', isAll),
    agentTypes: part('agentTypes', isAll),
    lengths: part('lengths', isAll),
  }
  const names = Object.keys(CHOICE_FLAGS) as (keyof Choices)[]
  return {
    choices: checkChoices(Object.fromEntries(names.map((name) => [name, chosen[name].value])) as unknown as Choices),
    sources: names.map((name) => ({ name, ...chosen[name], value: wordOf(chosen[name].value) })),
  }
}

const WITH_ALL: ReadonlySet<string> = new Set(['toolResults', 'checkpoints'])

interface Chosen {
  readonly value: string | boolean
  readonly from: string
  readonly limited: string | null
}

function lessOf(name: keyof Choices, chosen: Chosen, limit: string | boolean | undefined, file: string): Chosen {
  const order = LEAST_FIRST[name]
  if (limit === undefined || order.indexOf(chosen.value) <= order.indexOf(limit)) return chosen
  return { value: limit, from: file, limited: chosen.limited ?? `${wordOf(chosen.value)} (${chosen.from})` }
}

function wordOf(value: string | boolean): string {
  return typeof value === 'string' ? value : value ? 'yes' : 'no'
}
