import type { Library } from '../disk/library.ts'
import type { Warning } from '../disk/warning.ts'
import type { RemoteHistory } from './remote-history.ts'

/** What is asked with. Environment, clock and terminal are passed in, so that it never asks for them itself. */
export interface Context {
  readonly library: Library
  readonly now: Date
  /** Tells the name of this machine's time zone; Intl is asked where this is absent. */
  readonly localZone?: (() => string) | undefined
  /** The folder the person is in, and their home. */
  readonly cwd: string
  readonly home: string
  /** Where the person's own settings of annals lie. */
  readonly configDir?: string | undefined
  /** Settings files of whoever manages the machine: they set limits. Absent files set none. */
  readonly managedSettings?: readonly string[] | undefined
  /** Where the index is kept; without it, it lives in memory. */
  readonly cacheDir?: string | undefined
  /** Where the archive is kept; without it, there is none. */
  readonly dataDir?: string | undefined
  /** The version of this program, for what it leaves to others. */
  readonly version?: string | undefined
  /** How this program is started, for what shall start it later. */
  readonly program?: readonly string[] | undefined
  /** Asks the person yes or no; absent where nobody can be asked. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined
  /** Takes bytes that shall stand on standard output as they are; absent where that is not for them. */
  readonly output?: ((bytes: Uint8Array) => void) | undefined
  /** The team store that is meant; `library` then lists what is there, and `remote` queries it. */
  readonly store?: TeamStore | undefined
  readonly remote?: RemoteHistory | undefined
  /** What the environment says for ways to others. */
  readonly access?: Access | undefined
  /** The session that a hook or the environment names, for `current`. */
  readonly currentSession: string | undefined
  /** A path that the input names is taken only where it is a root, a project's folder or a listed log: others ask, over HTTP. */
  readonly rootsOnly?: boolean | undefined
  /** The index is being brought up to date elsewhere: a search reads it as it is, and says how much is missing. */
  readonly isIndexing?: boolean | undefined
  readonly warn: (warning: Warning) => void
  /** Opens what ends the whole process if something takes too long; absent where others work in the process too. */
  readonly openWatchdog?: (() => Watchdog) | undefined
  /** Tells how far long work has come, in bytes, and which part of it that is where it has several. */
  readonly progress: (doneBytes: number, totalBytes: number, stage?: string) => void
}

/** Ends the process with a message when more time has passed since its begin than was given, unless it was closed before. */
export interface Watchdog {
  begin(ms: number, message: string): void
  close(): void
}

/** Names and secrets for a team store or a receiver: never part of a command line, which others can read. */
export interface Access {
  readonly collectToken?: string | undefined
  readonly collectKey?: string | undefined
  /** As every PostgreSQL client takes them. */
  readonly user?: string | undefined
  readonly password?: string | undefined
  readonly database?: string | undefined
  readonly clickhousePassword?: string | undefined
  /** Lines of a `.pgpass`. */
  readonly passwords?: string | undefined
  /** As every client of S3 takes them. */
  readonly s3?: Readonly<
    Record<'accessKeyId' | 'secretAccessKey' | 'sessionToken' | 'region' | 'endpoint', string | undefined>
  >
  /** Names and places, no secrets, that a service needs too to find its way. */
  readonly carried?: Readonly<Record<string, string>> | undefined
}

/** A team store as somebody named it, and what the environment says of whoever asks. */
export interface TeamStore {
  readonly url: string
  readonly access: Access
}
