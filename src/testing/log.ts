import { type JsonObject, stringAt } from '../core/json.ts'
import { type BuiltLog, buildLog, type LogPlan, type Origin } from './build.ts'
import { type BuiltFile, writeFiles } from './built-file.ts'
import { compareVersions } from './generation.ts'
import { idSource } from './ids.ts'
import { joinLines } from './joined-lines.ts'
import { Steps } from './recorder.ts'

/** What a log starts from; all of it may be left out. */
export interface LogOptions {
  /** The client version that writes it. */
  readonly version?: string
  readonly cwd?: string
  readonly sessionId?: string
  readonly gitBranch?: string
  /** ISO time. */
  readonly startedAt?: string
  /** Two logs of one root need two seeds (or session ids), since all other ids come from it. */
  readonly seed?: string
  /** `cli` is a person at a terminal, `sdk-cli` a program (`claude -p`). */
  readonly entrypoint?: 'cli' | 'sdk-cli'
  readonly permissionMode?: string
  /** `false` leaves out the attachments that newer versions put between a prompt and its answer. */
  readonly attachments?: boolean
  /** `true` also writes the requests that answers name (2.1.290 and up): `api-request` rows, without their bodies. */
  readonly requests?: boolean
  /** Where the client believes its root to be, for the paths it writes into rows. */
  readonly configDir?: string
}

/** What may differ in a session that was made from another. */
export interface FollowUpOptions {
  readonly sessionId?: string
  readonly seed?: string
  /** The version of the client that made it. */
  readonly version?: string
  readonly startedAt?: string
  /** For `branched` and `sdkForked`: its title. */
  readonly title?: string
}

/** Where a log was written. */
export interface WrittenLog {
  readonly sessionId: string
  /** The path of the log in the root. */
  readonly path: string
}

/** Starts the log of one session. */
export function log(options: LogOptions = {}): Log {
  const version = options.version ?? '2.1.325'
  const cwd = options.cwd ?? '/home/ana/api'
  const seed = options.seed ?? options.sessionId ?? `${version} ${cwd} ${options.startedAt ?? ''}`
  return new Log({
    seed,
    fileId: options.sessionId ?? idSource(`${seed} id`).uuid(),
    version,
    cwd,
    gitBranch: options.gitBranch ?? 'main',
    startedAt: Date.parse(options.startedAt ?? '2026-03-02T09:00:00.000Z'),
    entrypoint: options.entrypoint ?? 'cli',
    permissionMode: options.permissionMode ?? 'default',
    attachments: options.attachments ?? true,
    requests: options.requests ?? false,
    configDir: options.configDir ?? `${homeOf(cwd)}/.claude`,
    origin: undefined,
  })
}

/** The log of one session: records steps, then builds its files, the same bytes every time. */
export class Log extends Steps {
  readonly sessionId: string
  readonly #plan: Omit<LogPlan, 'steps'>
  readonly #origin: Log | undefined
  #followUps = 0

  constructor(plan: Omit<LogPlan, 'steps'>, origin?: Log) {
    super()
    this.#plan = plan
    this.#origin = origin
    this.sessionId = plan.fileId
  }

  /** The rows of the main log as they stand now; bytes put in as they are have none. */
  rows(): readonly JsonObject[] {
    return this.#build().thread.lines.flatMap((line) => ('row' in line ? [line.row] : []))
  }

  /** The bytes of the main log. */
  content(): Uint8Array {
    const content = joinLines(this.#build().thread.lines)
    return typeof content === 'string' ? new TextEncoder().encode(content) : content
  }

  /** The files of this session alone: its log, agents, checkpoints, plan, to-do list. */
  ownFiles(): readonly BuiltFile[] {
    const { session, thread, path } = this.#build()
    const last = thread.lines.findLast((line) => 'row' in line && stringAt(line.row, 'timestamp') !== undefined)
    const modifiedAt = last !== undefined && 'row' in last ? stringAt(last.row, 'timestamp') : undefined
    const main = {
      path,
      content: joinLines(thread.lines),
      modifiedAt: modifiedAt ?? new Date(thread.now).toISOString(),
    }
    return [main, ...session.files.values()]
  }

  /** All files, with those of the session it was made from. */
  files(): readonly BuiltFile[] {
    const files = [...(this.#origin?.files() ?? []), ...this.ownFiles()]
    return [...new Map(files.map((file) => [file.path, file])).values()]
  }

  /** Writes all files into a root. */
  write(dir: string): WrittenLog {
    writeFiles(dir, this.files())
    return { sessionId: this.sessionId, path: this.#build().path }
  }

  /**
   * `--resume`. Up to 1.0.65 (or with `copied`) a new file with the whole history copied: new uuids and times, the
   * same message ids. Later the same log goes on.
   */
  resumed(options: FollowUpOptions & { readonly copied?: boolean } = {}): Log {
    const copied = options.copied ?? compareVersions(this.#plan.version, '1.0.128') < 0
    return copied ? this.#follow('resumed', options) : this.record({ do: 'resume' })
  }

  /** `--continue`: at 1.0.128 a new file with only the new rows and the old session id; otherwise as `resumed`. */
  continued(options: FollowUpOptions = {}): Log {
    const { version } = this.#plan
    const apart = compareVersions(version, '1.0.65') > 0 && compareVersions(version, '2.0.14') <= 0
    return apart ? this.#follow('continued', options) : this.resumed(options)
  }

  /**
   * `--fork-session`, as the version writes it: a new file with the header of its first prompt, then the rows of this session,
   * then its own.
   */
  forked(options: FollowUpOptions = {}): Log {
    return this.#follow('forked', options)
  }

  /** `/branch`: a new file with the active chain, each row saying where it was forked from. */
  branched(options: FollowUpOptions = {}): Log {
    return this.#follow('branched', options)
  }

  /** The SDK's `forkSession`: a new file with new uuids, each row saying where it was forked from, the last one's time now. */
  sdkForked(options: FollowUpOptions = {}): Log {
    return this.#follow('sdk-forked', options)
  }

  #build(): BuiltLog {
    return buildLog({ ...this.#plan, steps: this.recorded })
  }

  #follow(kind: Origin['kind'], options: FollowUpOptions): Log {
    const seed = options.seed ?? options.sessionId ?? `${this.#plan.seed} ${kind} ${this.#followUps++}`
    const origin: Origin = {
      kind,
      // The array is copied: what the first session does afterwards is not in the second.
      plan: { ...this.#plan, steps: [...this.recorded] },
      title: options.title,
      version: options.version,
      startedAt: options.startedAt === undefined ? undefined : Date.parse(options.startedAt),
    }
    return new Log({ ...this.#plan, seed, fileId: options.sessionId ?? idSource(`${seed} id`).uuid(), origin }, this)
  }
}

function homeOf(cwd: string): string {
  return /^\/(?:home|Users)\/[^/]+/.exec(cwd)?.[0] ?? '/root'
}
