/** What is known of a file of the team, for a place of its own in the copy. */
export interface TeamFile {
  readonly machine: string
  /** As it is, or hashed. */
  readonly file: string
  readonly project: string | null
  readonly session: string | null
  /** Set where all of the file is one agent's. */
  readonly agent: string | null
  readonly isHistory: boolean
}

const HASHED = /^h:/
const OTHER_ROOT = /^root-[0-9a-f]{8}$/

/**
 * Where a file lies in the copy of a team store, below its folder: `machine/root/projects/…`, as on its machine. A hashed
 * name says nothing, so its place is made from what the rows say. `undefined` for names that would lead elsewhere.
 */
export function placeOfTeamFile(file: TeamFile): string | undefined {
  const machine = safeName(file.machine)
  if (HASHED.test(file.file)) return `${machine}/main/${madePlace(file)}`
  const parts = file.file.split('/')
  if (!parts.every(isSafe) || Buffer.byteLength(file.file) > 1_000) return undefined
  const isOtherRoot = parts.length > 1 && OTHER_ROOT.test(parts[0] as string)
  return isOtherRoot ? `${machine}/${file.file}` : `${machine}/main/${file.file}`
}

/** Which places of a copy are taken: two hashed names may be of one session, and each has its own. */
export class Places {
  readonly #holders = new Map<string, string>()
  /** The number to try first, by place. */
  readonly #next = new Map<string, number>()

  constructor(files: Iterable<readonly [string, { readonly path: string }]>) {
    for (const [key, { path }] of files) this.#holders.set(path, key)
  }

  /** A place that no other file has; it is taken with that. */
  take(key: string, place: string): string {
    let number = this.#next.get(place) ?? 1
    let path = place
    for (; ; number++) {
      if (number > 1) path = place.replace('/main/', `/main-${number}/`)
      if ((this.#holders.get(path) ?? key) === key) break
    }
    this.#next.set(place, number)
    this.#holders.set(path, key)
    return path
  }
}

function madePlace({ project, session, agent, isHistory, file }: TeamFile): string {
  if (isHistory) return 'history.jsonl'
  const folder = `projects/${safeName(project ?? 'unknown')}`
  const name = safeName(session ?? file)
  return agent === null ? `${folder}/${name}.jsonl` : `${folder}/${name}/subagents/agent-${safeName(agent)}.jsonl`
}

/** A name of one folder or file; whatever somebody else wrote in it. */
function safeName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 120)
  return /^\.*$/.test(safe) ? `_${safe}` : safe
}

function isSafe(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && !/[\0\\:*?"<>|]/.test(part) && Buffer.byteLength(part) <= 255
}
