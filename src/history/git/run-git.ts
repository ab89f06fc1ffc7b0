import { spawnSync } from 'node:child_process'
import { Failure } from '../../core/failure.ts'

/** How git is asked. */
export interface GitOptions {
  /** The folder that it is asked in. */
  readonly cwd: string
  readonly input?: string
}

/** Asks git something that only reads, and gives what it wrote. Whatever the settings of a repository say, it starts no other program. */
export function runGit(args: readonly string[], options: GitOptions): Buffer {
  const { status, signal, stdout, stderr, error } = askGit(args, options)
  if (error || signal) throw couldNot(error, options.cwd)
  if (status === 0) return stdout
  const said = stderr.toString().trim().split('\n')[0] ?? ''
  if (/not a git repository/i.test(said)) {
    throw new Failure('NOT_FOUND', `${options.cwd} is not in a git repository.`, { hint: 'Run it inside one.' })
  }
  throw new Failure('CANNOT_RUN', `git said: ${said || `exit code ${status}`}`)
}

/** The same, where no is an answer too: `undefined` where git refuses. */
export function tryGit(args: readonly string[], options: GitOptions): Buffer | undefined {
  const { status, signal, stdout, error } = askGit(args, options)
  if (error || signal) throw couldNot(error, options.cwd)
  return status === 0 ? stdout : undefined
}

function askGit(args: readonly string[], { cwd, input }: GitOptions) {
  return spawnSync('git', [...SAFELY, ...args], {
    cwd,
    timeout: MOST_MS,
    maxBuffer: MOST_BYTES,
    killSignal: 'SIGKILL',
    windowsHide: true,
    ...(input === undefined ? { stdio: ['ignore', 'pipe', 'pipe'] as const } : { input }),
  })
}

const MOST_MS = 60_000
const MOST_BYTES = 1024 * 1024 * 1024

/** What a repository may name as a program in its settings, or fetch what it lacks with: all of it off. */
const OFF = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.gitProxy=',
  'core.askPass=',
  'credential.helper=',
  'diff.external=',
  'log.showSignature=false',
  'gpg.program=false',
  'blame.ignoreRevsFile=',
  'protocol.allow=never',
  ...['ext', 'fd', 'file', 'git', 'ssh', 'http', 'https', 'ftp', 'ftps'].map((name) => `protocol.${name}.allow=never`),
]

const SAFELY = [
  '--no-pager',
  '--no-optional-locks',
  '--no-replace-objects',
  '--literal-pathspecs',
  ...OFF.flatMap((setting) => ['-c', setting]),
]

function couldNot(error: (Error & { code?: string }) | undefined, cwd: string): Failure {
  if (error?.code === 'ENOENT') {
    const message = `git could not be started in ${cwd}.`
    return new Failure('CANNOT_RUN', message, { hint: 'Is git installed and on your PATH, and the folder there?' })
  }
  if (error?.code === 'ENOBUFS') return new Failure('CANNOT_RUN', 'The output of git is too large.')
  return new Failure('CANNOT_RUN', `git did not answer within ${MOST_MS / 1000} seconds.`)
}
