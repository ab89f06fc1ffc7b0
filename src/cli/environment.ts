import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { isObject, parseJson, textAt } from '../core/json.ts'
import { zoneByIntl } from '../core/usage/calendar.ts'
import { isAbsent } from '../disk/unreadable.ts'

/** The variables annals looks at; only `cli/` knows where they come from. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The config folders that are meant: the named ones, else those of `CLAUDE_CONFIG_DIR`, else the usual ones that exist. Where
 * none was named, what was imported belongs to them.
 */
export function rootsOf(
  named: readonly string[],
  env: Environment,
  home: string,
  imported: readonly string[] = [],
): readonly string[] {
  if (named.length > 0) return named
  const listed = listedFolders(env.CLAUDE_CONFIG_DIR ?? '')
  if (listed.length > 0) return [...listed, ...imported]
  const usual = usualRoots(home)
  const found = [...usual.filter((path) => !isAbsent(path)), ...imported]
  if (found.length > 0) return found
  const hint = 'Set CLAUDE_CONFIG_DIR if yours is elsewhere, or name it with --root.'
  throw new Failure('NO_ROOT', `No Claude Code folder at ${usual.join(' or ')}.`, { hint })
}

/** A list as PATH is one; also with commas, as other tools take it, unless the whole is a folder with a comma in its name. */
function listedFolders(text: string): readonly string[] {
  return text
    .split(delimiter)
    .flatMap((path) => (existsSync(path) ? [path] : path.split(',').map((part) => part.trim())))
    .filter((path) => path !== '')
}

/** Where the client keeps its data unless told otherwise. */
export function usualRoots(home: string): readonly string[] {
  return [join(home, '.claude'), join(home, '.config', 'claude')]
}

/** The name of this machine's time zone, as the system keeps it; Intl, which takes long to load, is asked only where that is not told. */
export function localZone({ TZ }: Environment, link = '/etc/localtime'): string {
  if (TZ) return zoneByIntl()
  const [, name] = ZONE_FILE.exec(linkTarget(link)) ?? []
  return name === undefined ? zoneByIntl() : name.replace(/^Etc\/UTC$/, 'UTC')
}

const ZONE_FILE = /\/zoneinfo\/([A-Z][A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*)$/

function linkTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** The session a hook on stdin, or the environment, says is the current one. */
export function currentSessionOf(env: Environment, isHook: boolean): string | undefined {
  if (isHook) {
    const hook = parseJson(readFileSync(0, 'utf8'))
    const path = textAt(hook, 'transcript_path')
    const id = textAt(hook, 'session_id')
    // A log that is not written yet, or lies on another machine: its id may still be known here.
    const session = path !== undefined && (id === undefined || existsSync(path)) ? path : id
    if (isObject(hook) && session !== undefined) return session
    const hint = 'A hook gets it from Claude Code: {"session_id": …, "transcript_path": …}.'
    throw new Failure('USAGE', 'There is no hook input on stdin.', { hint })
  }
  const context = /(?:^|[\s,;])session_id=([^\s,;]+)/.exec(env.SESSION_CONTEXT ?? '')
  return env.ANNALS_SESSION || env.CLAUDE_CODE_SESSION_ID || env.CLAUDE_SESSION_ID || context?.[1]
}
