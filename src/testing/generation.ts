/** How one client version writes its logs. Each change is dated by the first version in which it was seen. */
export interface Generation {
  readonly version: string
  /** Rows say which git branch they were written on. */
  readonly gitBranch: boolean
  /** One line per content block; before, a response was one line with its cost and no request id. */
  readonly linePerBlock: boolean
  /** Lines were flushed while the answer streamed, so that all but the last have no stop reason. */
  readonly flushesEarly: boolean
  /** `userType`, `cwd` and the like come after the message instead of before it; rows have `promptId`, `entrypoint`. */
  readonly envelopeLast: boolean
  /** A result hangs under the line of its own call; before, results were chained one after another. */
  readonly resultsHangOnCalls: boolean
  readonly agentPlace: 'inline' | 'flat' | 'folder'
  readonly agentIdForm: 'hex8' | 'a6' | 'a16'
  readonly agentTool: 'Task' | 'Agent'
  /** `agent-<id>.meta.json` beside the agent's log, and how much it says. */
  readonly agentMeta: 'none' | 'description' | 'call' | 'depth' | 'full'
  readonly agentProgress: boolean
  readonly agentResultsTyped: boolean
  /** Rows in an agent's log carry no `toolUseResult`. */
  readonly bareAgentResults: boolean
  readonly permissionMode: boolean
  readonly thinkingMetadata: 'none' | 'level' | 'tokens'
  readonly attachments: 'none' | 'skills' | 'agents' | 'all'
  readonly queuedCommand: boolean
  readonly promptSource: boolean
  readonly turnPosition: boolean
  readonly lastPrompt: 'none' | 'text' | 'leaf'
  readonly turnDuration: boolean
  readonly modeRows: 'none' | 'permission' | 'mode'
  readonly queueRows: 'none' | 'both' | 'dequeue'
  readonly localCommandRows: boolean
  readonly caveat: 'plain' | 'tagged' | 'short'
  readonly runningMark: boolean
  readonly fileHistory: 'none' | 'snapshot' | 'delta'
  readonly agentName: boolean
  readonly titleFile: boolean
  readonly slug: boolean
  readonly todoFile: 'session' | 'pair' | 'when-used'
  readonly compactMetadata: 'basic' | 'tokens' | 'preserved'
  readonly usage: 'plain' | 'server' | 'detailed' | 'full'
  readonly emptyFileOnResume: boolean
  /**
   * The rows that a fork copies: told anew with later times, under the new session's id but for the first prompt (`stray`), all
   * under the old one's (`kept`), or all under the new one's.
   */
  readonly forkedRows: 'retold' | 'stray' | 'kept' | 'renamed'
  /** Requests can be logged as rows of their own, which answers name by `requestRef`. */
  readonly requestRows: boolean
  readonly model: string
}

/** What is known of a client version; versions in between write as the last one seen before them. */
export function generationOf(version: string): Generation {
  const from = (first: string) => compareVersions(version, first) >= 0
  const upTo = (last: string) => compareVersions(version, last) <= 0
  return {
    version,
    gitBranch: from('1.0.65'),
    linePerBlock: from('1.0.65'),
    flushesEarly: from('1.0.65') && !from('2.1.98'),
    envelopeLast: from('2.1.90'),
    resultsHangOnCalls: from('2.0.77'),
    agentPlace: from('2.1.4') ? 'folder' : from('2.0.37') ? 'flat' : 'inline',
    agentIdForm: from('2.1.68') ? 'a16' : from('2.0.77') ? 'a6' : 'hex8',
    agentTool: from('2.1.68') ? 'Agent' : 'Task',
    agentMeta: from('2.1.325')
      ? 'full'
      : from('2.1.200')
        ? 'depth'
        : from('2.1.150')
          ? 'call'
          : from('2.1.90')
            ? 'description'
            : 'none',
    agentProgress: from('2.1.20') && upTo('2.1.68'),
    agentResultsTyped: from('2.1.112'),
    bareAgentResults: from('2.1.68'),
    permissionMode: from('2.1.20'),
    thinkingMetadata: !from('2.0.77') || from('2.1.68') ? 'none' : from('2.1.45') ? 'tokens' : 'level',
    attachments: from('2.1.290') ? 'all' : from('2.1.200') ? 'agents' : from('2.1.98') ? 'skills' : 'none',
    queuedCommand: from('2.1.98'),
    promptSource: from('2.1.200'),
    turnPosition: from('2.1.290'),
    lastPrompt: from('2.1.150') ? 'leaf' : from('2.1.90') ? 'text' : 'none',
    turnDuration: from('2.1.290'),
    modeRows: from('2.1.200') ? 'mode' : from('2.1.90') ? 'permission' : 'none',
    queueRows: from('2.1.68') ? 'both' : from('2.0.77') ? 'dequeue' : from('2.0.37') ? 'both' : 'none',
    localCommandRows: from('2.1.68'),
    caveat: from('2.1.290') ? 'short' : from('2.0.77') ? 'tagged' : 'plain',
    runningMark: upTo('2.0.37'),
    fileHistory: from('2.1.250') ? 'delta' : from('2.0.14') ? 'snapshot' : 'none',
    agentName: from('2.1.68'),
    titleFile: from('2.1.325'),
    slug: from('2.0.77'),
    todoFile: from('2.1.68') ? 'when-used' : from('1.0.65') ? 'pair' : 'session',
    compactMetadata: from('2.1.200') ? 'preserved' : from('2.1.112') ? 'tokens' : 'basic',
    usage: from('2.1.290') ? 'full' : from('2.1.250') ? 'detailed' : from('2.1.45') ? 'server' : 'plain',
    emptyFileOnResume: from('2.0.37') && upTo('2.1.4'),
    forkedRows: !from('2.0.0') ? 'retold' : !from('2.1.45') ? 'stray' : !from('2.1.112') ? 'kept' : 'renamed',
    requestRows: from('2.1.290'),
    model: modelOf(from),
  }
}

/** Orders two versions by their numbers: negative when the first is older. */
export function compareVersions(one: string, other: string): number {
  const left = one.split('.').map(Number)
  const right = other.split('.').map(Number)
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function modelOf(from: (first: string) => boolean): string {
  if (from('2.1.290')) return 'claude-opus-5-5'
  if (from('2.1.150')) return 'claude-opus-4-8'
  if (from('2.1.45')) return 'claude-sonnet-4-6'
  if (from('2.0.14')) return 'claude-sonnet-4-5-20250929'
  return 'claude-sonnet-4-20250514'
}
