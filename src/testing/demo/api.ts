import { type Log, log } from '../log.ts'
import type { StartOf } from './clock.ts'

/** The made-up project with most of the work: a service that takes bookings. */
export const API = '/home/ana/code/api'

/** A worktree of it. */
export const API_WORKTREE = '/home/ana/code/api/.claude/worktrees/rate-limits'

/** The oldest session: an old client, its warmups and an agent beside the log; it is about to be swept. */
export function healthEndpoint(start: StartOf): Log {
  return log({ version: '2.0.77', cwd: API, startedAt: start(35, '16:05'), seed: 'demo health' })
    .warmup()
    .warmup()
    .user('Add a /health endpoint that also checks the database')
    .assistant('I will look at how the routes are laid out first.')
    .subagent({
      type: 'Explore',
      description: 'Find the router',
      prompt: 'Where are HTTP routes registered, and how do handlers reach the database?',
      steps: (agent) =>
        agent
          .tool('Grep', { pattern: 'router\\.', path: API }, { output: 'src/http/router.ts\nsrc/http/bookings.ts' })
          .readFile('src/http/router.ts', "router.get('/bookings', listBookings)\nrouter.post('/bookings', book)\n"),
      result: 'Routes are registered in src/http/router.ts; handlers get the pool from `context.database`.',
    })
    .todo([
      { content: 'Add the handler', status: 'in_progress', activeForm: 'Adding the handler' },
      { content: 'Cover it with a test', status: 'pending', activeForm: 'Covering it with a test' },
    ])
    .writeFile('src/http/health.ts', HEALTH)
    .tool(
      'Bash',
      { command: 'npm test -- health', description: 'Run the tests' },
      { output: '2 passed', durationMs: 4_100 },
    )
    .todo([
      { content: 'Add the handler', status: 'completed', activeForm: 'Adding the handler' },
      { content: 'Cover it with a test', status: 'completed', activeForm: 'Covering it with a test' },
    ])
    .assistant('`GET /health` answers 200 when `select 1` works within a second, and 503 otherwise. Both are tested.')
    .title('Health endpoint')
}

const HEALTH = `export async function health(context: Context): Promise<Answer> {
  const alive = await context.database.ping(1_000)
  return alive ? { status: 200, body: 'ok' } : { status: 503, body: 'database does not answer' }
}
`

/** A slow query, found with two agents at once. */
export function slowQuery(start: StartOf): Log {
  return log({ version: '2.1.45', cwd: API, startedAt: start(30, '10:20'), seed: 'demo query' })
    .user('Listing bookings takes two seconds for big venues. Why?')
    .assistant('Two things to look at: the query, and what we do with its rows.', {
      thinking: 'Measure before guessing.',
    })
    .parallel([
      {
        subagent: {
          type: 'Explore',
          description: 'Read the query',
          prompt: 'Show the SQL behind GET /bookings and the indexes on its tables.',
          steps: (agent) => agent.tool('Grep', { pattern: 'from bookings' }, { output: 'src/store/bookings.sql:3' }),
          result: 'It filters by venue and orders by start; there is no index on (venue_id, starts_at).',
        },
      },
      {
        subagent: {
          type: 'general-purpose',
          description: 'Profile the handler',
          prompt: 'Where does the handler of GET /bookings spend its time, apart from the query?',
          result: 'Nearly nowhere: 12 ms to turn 400 rows into JSON.',
        },
      },
    ])
    .writeFile(
      'migrations/0014-bookings-index.sql',
      'create index bookings_by_venue on bookings (venue_id, starts_at);\n',
    )
    .tool(
      'Bash',
      { command: 'npm run bench bookings', description: 'Measure again' },
      { output: 'p50 38 ms  p99 61 ms' },
    )
    .assistant(
      'An index on `(venue_id, starts_at)` was missing. With it the 99th percentile falls from 2.1 s to 61 ms.',
    )
    .user('Lovely. Commit it.')
    .tool('Bash', { command: 'git commit -am "perf: index bookings by venue and start"' }, { output: '1 file changed' })
    .assistant('Committed.')
}

const PLAN = `# Rate limits for the public API

1. Count requests per key in a sliding window, in memory first.
2. Answer 429 with \`Retry-After\` when a key is over its limit.
3. Limits come from the plan of the account; the default is 60 a minute.
4. Tests: the window slides; two keys do not disturb each other.
`

/** A plan, agreed on and left for a worktree. */
export function planRateLimits(start: StartOf): Log {
  return log({ version: '2.1.112', cwd: API, startedAt: start(21, '14:10'), seed: 'demo plan', permissionMode: 'plan' })
    .user('We need rate limits on the public API. Make a plan, nothing else yet.')
    .readFile('src/http/router.ts', "router.use(authenticate)\nrouter.get('/bookings', listBookings)\n")
    .assistant('Here is how I would go about it.')
    .plan(PLAN, { slug: 'gentle-sailing-otter' })
    .assistant('The plan is saved. I will wait for your word.')
    .user('Good. I will do it in a worktree tomorrow.')
    .assistant('Fine: `rate-limits` would be a good name for it.')
    .title('Plan rate limits')
}

/** The plan carried out in a worktree, long enough to be compacted on the way. */
export function rateLimits(start: StartOf): Log {
  const empty = 'export type Window = readonly number[]\n'
  const counted = `${empty}
export function allow(window: Window, now: number, limit: number): boolean {
  return window.filter((time) => time > now - 60_000).length < limit
}
`
  return log({
    version: '2.1.112',
    cwd: API_WORKTREE,
    gitBranch: 'rate-limits',
    startedAt: start(20, '09:30'),
    seed: 'demo limits',
  })
    .user('Carry out the plan in plans/gentle-sailing-otter.md')
    .assistant('Starting with the sliding window.')
    .writeFile('src/limits/window.ts', empty)
    .edit('src/limits/window.ts', { before: empty, after: counted })
    .tool(
      'Bash',
      { command: 'npm test', description: 'Run the tests' },
      { exitCode: 1, output: '1 failed: the window slides' },
    )
    .assistant('The window must forget requests older than a minute also when none come in.')
    .tool('Bash', { command: 'npm test', description: 'Run the tests' }, { output: '48 passed', durationMs: 9_300 })
    .assistant('All green. Next is the middleware.')
    .compact({
      trigger: 'auto',
      preTokens: 154_220,
      postTokens: 6_410,
      summary: '1. The sliding window is done and tested.\n2. Next: the middleware that answers 429.',
    })
    .user('Go on with the middleware')
    .writeFile('src/limits/middleware.ts', 'export function limit(request: Request): Answer | undefined {}\n')
    .tool('Bash', { command: 'npm test', description: 'Run the tests' }, { output: '53 passed', durationMs: 9_800 })
    .assistant('Requests over the limit now get 429 with `Retry-After`. The plan is done.')
    .title('Rate limits')
}
