import { type Log, log } from '../log.ts'
import { API } from './api.ts'
import type { StartOf } from './clock.ts'

const TOKENS_BEFORE = `import { fetchToken, type Token } from './issuer.ts'

export class TokenStore {
  #token: Token | undefined

  async current(now: number): Promise<Token> {
    if (this.#token === undefined || this.#token.expiresAt <= now) {
      this.#token = await fetchToken()
    }
    return this.#token
  }
}
`

const TOKENS_AFTER = `import { fetchToken, type Token } from './issuer.ts'

export class TokenStore {
  #token: Token | undefined
  #refreshing: Promise<Token> | undefined

  async current(now: number): Promise<Token> {
    if (this.#token !== undefined && this.#token.expiresAt > now) return this.#token
    this.#refreshing ??= fetchToken().finally(() => {
      this.#refreshing = undefined
    })
    this.#token = await this.#refreshing
    return this.#token
  }
}
`

const TOKENS_TEST = `import { expect, test } from 'vitest'
import { TokenStore } from './token-store.ts'

test('refreshes once for callers that come at the same time', async () => {
  const store = new TokenStore()
  const [first, second] = await Promise.all([store.current(0), store.current(0)])
  expect(first).toBe(second)
})
`

/** The main story: a race found by an agent within an agent, a fix, and a second thought. */
export function tokenRace(start: StartOf): Log {
  return log({
    version: '2.1.325',
    cwd: API,
    startedAt: start(10, '11:15'),
    seed: 'demo race',
    gitBranch: 'fix/tokens',
  })
    .title('Fix token refresh race')
    .user('Sometimes two token refreshes run at once and the second one logs everybody out. Find out why.')
    .assistant('Let me see who asks for tokens.', { thinking: 'Two callers, one expired token: a classic race.' })
    .subagent({
      type: 'general-purpose',
      description: 'Trace token callers',
      prompt: 'Find every caller of TokenStore.current and say which may run at the same time.',
      steps: (agent) =>
        agent
          .tool(
            'Bash',
            { command: 'grep -rn "tokens.current" src' },
            { output: 'src/jobs/sync.ts:14\nsrc/http/proxy.ts:31' },
          )
          .subagent({
            type: 'Explore',
            description: 'Check the job runner',
            prompt: 'Can the sync job overlap with HTTP requests?',
            steps: (inner) => inner.readFile('src/jobs/runner.ts', 'setInterval(runAll, 60_000)\n'),
            result: 'Yes: it runs every minute on the same event loop.',
          }),
      result: 'The sync job and the proxy both await `current()`; both see the expired token and both refresh it.',
    })
    .readFile('src/auth/token-store.ts', TOKENS_BEFORE)
    .edit('src/auth/token-store.ts', { before: TOKENS_BEFORE, after: TOKENS_AFTER })
    .writeFile('src/auth/token-store.test.ts', TOKENS_TEST)
    .tool(
      'Bash',
      { command: 'npm test -- token-store', description: 'Run the tests' },
      { output: '1 passed', durationMs: 3_200 },
    )
    .assistant('Both callers now share one refresh. The new test fails without the change and passes with it.')
    .user('Use a lock library instead?')
    .assistant('A lock would work, but it adds a dependency for three lines.')
    .rewind({ to: 2 })
    .user('Explain in one sentence for the changelog why this happened')
    .assistant('Two requests that met an expired token each fetched a new one, and the issuer revoked the first.')
    .command('/cost', { output: 'Total cost: $0.12' })
    .costState({ totalCostUSD: 0.1193, totalLinesAdded: 15, totalLinesRemoved: 3 })
}

/** A branch off the main story. */
export function tokenLock(race: Log, start: StartOf): Log {
  return race
    .branched({ title: 'Token lock, just to see', startedAt: start(9, '17:40'), seed: 'demo lock' })
    .user('Show me what it would look like with a lock after all')
    .assistant('```ts\nconst release = await lock.acquire()\ntry { return await refresh() } finally { release() }\n```')
}

/** A review with a command of the user's own; one of two agents fails. */
export function review(start: StartOf): Log {
  return log({ version: '2.1.325', cwd: API, startedAt: start(4, '15:30'), seed: 'demo review', gitBranch: 'webhooks' })
    .command('/review', {
      args: 'webhooks',
      expansion: 'Review the branch webhooks: correctness first, then names, then tests.',
    })
    .assistant('Reading the changes.')
    .parallel([
      { name: 'Bash', input: { command: 'git diff main --stat' }, output: ' 6 files changed, 210 insertions(+)' },
      {
        name: 'Bash',
        input: { command: 'npm run typecheck' },
        output: 'src/webhooks/send.ts(22,7): error TS2322',
        exitCode: 2,
      },
    ])
    .subagent({
      type: 'reviewer',
      description: 'Review the retries',
      prompt: 'Check that a webhook is delivered at least once, and say where it may be lost.',
      steps: (agent) => agent.readFile('src/webhooks/send.ts', 'await post(hook)\nawait markDelivered(hook)\n'),
      error: 'Agent terminated early due to an API error: 529 Overloaded',
    })
    .subagent({
      type: 'reviewer',
      description: 'Review the retries again',
      prompt: 'Check that a webhook is delivered at least once, and say where it may be lost.',
      steps: (agent) => agent.readFile('src/webhooks/queue.ts', 'queue.take()\n'),
      result: 'A crash between `take` and `post` loses the hook: take it off the queue only after delivery.',
    })
    .assistant('One real problem: hooks leave the queue before they are delivered. And one type error in `send.ts`.')
    .user('Fix both')
    .edit('src/webhooks/queue.ts', {
      before: 'queue.take()\n',
      after: 'const hook = queue.peek()\nawait deliver(hook)\nqueue.remove(hook)\n',
    })
    .assistant('Done.')
    .aiTitle('Review the webhooks branch')
    .costState({ totalCostUSD: 0.0748, totalLinesAdded: 3, totalLinesRemoved: 1 })
}

/** Today's session: release notes by a small workflow. */
export function releaseNotes(start: StartOf): Log {
  return log({ version: '2.1.325', cwd: API, startedAt: start(0, '-03:00'), seed: 'demo release' })
    .user('Write the release notes for 0.9 with the release-notes skill')
    .assistant('One agent gathers, another writes.')
    .workflow({
      name: 'release-notes',
      description: 'Gather the changes, then write them up',
      agents: [
        {
          label: 'gather',
          phase: 'Gather',
          prompt: 'List the changes since 0.8 that a user can notice.',
          steps: (agent) =>
            agent.tool('Bash', { command: 'git log --oneline v0.8..' }, { output: '9f2c1aa fix: token race' }),
          result: 'Rate limits; a faster list of bookings; no more surprise log-outs.',
        },
        { label: 'write', phase: 'Write', prompt: 'Write three friendly lines.', result: 'Calmer, faster, fairer.' },
      ],
      result: 'Calmer, faster, fairer.',
    })
    .assistant('The workflow runs; I will tell you when it is done.')
    .notification({ agent: 'release-notes' })
    .writeFile('CHANGELOG.md', '## 0.9\n\nCalmer, faster, fairer.\n')
    .assistant('The notes are in CHANGELOG.md.')
    .aiTitle('Release notes for 0.9')
    .costState({ totalCostUSD: 0.0535, totalLinesAdded: 3, totalLinesRemoved: 0 })
}
