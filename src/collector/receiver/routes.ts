import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import { jsonText } from '../../core/json-text.ts'
import { type Credentials, isSame, type MachineCredentials } from '../auth.ts'
import type { TeamRow } from '../row.ts'
import { type Batch, type Sink, SinkTrouble } from '../sink.ts'
import { Turns } from '../turns.ts'
import { batchFromJson, MACHINE_ID, machineFromJson, markToJson } from '../wire.ts'
import { Bindings } from './bindings.ts'
import { Health } from './health.ts'
import { HeldMemory } from './held-memory.ts'
import { CurrentKeys } from './known-keys.ts'
import { type BatchFigures, Metrics } from './metrics.ts'
import { Nonces } from './nonces.ts'
import { type Refused, waitAfter } from './refusal.ts'
import { type BodyLimits, readBody } from './request-body.ts'
import { type Caller, checkRequest } from './request-check.ts'
import { RequestLog } from './request-log.ts'

export interface RouteOptions {
  readonly sink: Sink
  /** Who may deliver: whoever has one of these, for one machine and one person. */
  readonly credentials: Credentials
  /** Others who may. */
  readonly tokens?: readonly MachineCredentials[] | undefined
  /** All who may from now on; `undefined` where nothing has changed. Asked at most once a second. */
  readonly reload?: (() => readonly MachineCredentials[] | undefined) | undefined
  /** Who may read the figures; without it whoever reaches us, so it is set where others can. */
  readonly metricsToken?: string | undefined
  readonly isPublic?: boolean
  readonly limits?: Partial<RouteLimits>
  /** Where it remembers who speaks for whom and which requests came; without it, only as long as it runs. */
  readonly stateFolder?: string | undefined
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Gets a JSON line for each request. */
  readonly onLog?: ((line: string) => void) | undefined
  /** Hears of what nobody foresaw. */
  readonly onBug?: (error: unknown) => void
}

export interface RouteLimits extends BodyLimits {
  /** What all requests under way may hold together. */
  readonly memoryBytes: number
}

const LIMITS: RouteLimits = {
  bodyBytes: 64 * 1024 * 1024,
  unpackedBytes: 256 * 1024 * 1024,
  memoryBytes: 1024 * 1024 * 1024,
}

/** What answers requests, until it is closed. */
export interface Routes {
  fetch(request: Request): Response | Promise<Response>
  close(): void
}

interface Told {
  caller?: Caller
  refused?: Refused
  batch?: BatchFigures
}

/** The routes of a receiver: it checks who speaks, reads a batch, and hands it to its sink. A batch that comes again changes nothing. */
export function receiverRoutes(options: RouteOptions, connections: () => number = () => 0): Routes {
  const { sink, credentials, tokens = [], reload, metricsToken, isPublic = false, stateFolder } = options
  const { now = Date.now, onLog, onBug } = options
  const limits = { ...LIMITS, ...options.limits }
  const { token, hmacKey } = credentials
  const current = new CurrentKeys([{ token }, { hmacKey }, ...tokens], now(), reload)
  const stateFile = (name: string) => stateFolder && join(stateFolder, name)
  const nonces = new Nonces(stateFile('nonces'), now())
  const bindings = new Bindings(current.at(now()).keys, stateFile('bindings.json'))
  const memory = new HeldMemory(limits.memoryBytes)
  const metrics = new Metrics()
  const health = new Health(sink)
  const log = onLog && new RequestLog(onLog)
  const opened = new Set<string>()
  const turns = new Turns()

  const app = new Hono<{ Variables: { told: Told } }>()
  app.use('*', async (c, next) => {
    const start = performance.now()
    const told: Told = {}
    c.set('told', told)
    await next()
    const { caller, refused, batch } = told
    const route = ROUTES.has(c.req.path) ? c.req.path : 'other'
    const ms = performance.now() - start
    const answered = { route, status: c.res.status, ms, reason: refused?.reason, batch }
    metrics.count(answered, now())
    log?.request(answered, { method: c.req.method, key: caller?.key }, now())
  })
  app.get('/v1/health', async (c) => {
    const isUp = await health.ask(now())
    return c.json({ ok: isUp, store: isUp ? 'up' : 'down' }, isUp ? 200 : 503)
  })
  app.get('/metrics', async (c) => {
    const asked = c.req.header('authorization') ?? ''
    const isMeant = metricsToken === undefined ? !isPublic : isSame(asked, `Bearer ${metricsToken}`)
    if (!isMeant) return refuse(c, { status: 401, reason: 'no-key', message: 'Set "metricsToken" and show it.' })
    const isStoreUp = await health.ask(now())
    const figures = { heldBytes: memory.bytes, connections: connections(), isStoreUp, now: now() }
    return c.body(metrics.text(figures), 200, { 'content-type': 'text/plain; version=0.0.4' })
  })
  // Before the body is read: whoever is not known costs us nothing.
  app.use('/v1/*', async (c, next) => {
    const { keys, isNew } = current.at(now())
    if (isNew) {
      bindings.renew(keys)
      log?.event('info', 'keys', `${keys.size} tokens and keys are taken now.`, now())
    }
    const caller = checkRequest(keys, nonces, c.req.raw, now())
    if ('status' in caller) return refuse(c, caller)
    c.get('told').caller = caller
    return next()
  })

  /** Reads a body and does something with it; what it took of memory is free afterwards. */
  async function withBody(
    c: Context,
    use: (body: Exclude<Awaited<ReturnType<typeof readBody>>, Refused>, key: string) => Promise<Response>,
  ): Promise<Response> {
    const { key, sum } = (c.get('told') as Told).caller as Caller
    const share = memory.share()
    try {
      const body = await readBody(c.req.raw, limits, share, sum)
      return 'status' in body ? refuse(c, body) : await use(body, key)
    } finally {
      share.release()
    }
  }

  app.post('/v1/machines', (c) =>
    withBody(c, async ({ value }, key) => {
      const machine = machineFromJson(value)
      if (!machine) return refuse(c, NO_MACHINE)
      const foreign = bindings.claim(key, machine.id, machine.user)
      if (foreign !== undefined) return refuse(c, isForeign(foreign))
      await turns.one(machine.id, () => sink.open(machine))
      opened.add(machine.id)
      return c.json({ ok: true })
    }),
  )

  app.get('/v1/marks', async (c) => {
    const id = c.req.query('machine') ?? ''
    if (!MACHINE_ID.test(id)) return refuse(c, NO_MACHINE)
    const foreign = bindings.claim(c.get('told').caller?.key ?? '', id)
    if (foreign !== undefined) return refuse(c, isForeign(foreign))
    const marks = await turns.one(id, () => sink.marks(id))
    return c.body(jsonText({ marks: marks.map(markToJson) }), 200, JSON_TYPE)
  })

  app.post('/v1/batches', (c) =>
    withBody(c, async ({ value, bytes }, key) => {
      const batch = batchFromJson(value)
      if (!batch) return refuse(c, { status: 400, reason: 'not-a-batch', message: 'The request is not a batch.' })
      const { machine, rows } = batch
      const foreign = bindings.claim(key, machine.id, machine.user) ?? strangerIn(batch)
      if (foreign !== undefined) return refuse(c, isForeign(foreign))
      const delivery = await turns.one(machine.id, async () => {
        if (!opened.has(machine.id)) await sink.open(machine)
        opened.add(machine.id)
        return sink.deliver({ ...batch, isOwnPurge: true })
      })
      const { added } = delivery
      c.get('told').batch = { machine: machine.id, records: rows.length, added, bytes, lagMs: lagOf(rows, now()) }
      return c.body(jsonText(delivery), 200, JSON_TYPE)
    }),
  )

  app.notFound((c) => refuse(c, { status: 404, reason: 'not-found', message: 'There is nothing here.' }))
  app.onError((error, c) => {
    if (error instanceof SinkTrouble) {
      const wait = Math.ceil((error.retryAfterMs ?? 5_000) / 1000)
      log?.event('error', 'store', error.message, now())
      return refuse(c, { status: 503, reason: 'store', message: error.message }, wait)
    }
    onBug?.(error)
    return refuse(c, { status: 500, reason: 'bug', message: 'Something went wrong here.' })
  })
  return { fetch: app.fetch, close: () => nonces.close() }
}

const ROUTES = new Set(['/v1/health', '/v1/machines', '/v1/marks', '/v1/batches', '/metrics'])
const JSON_TYPE = { 'content-type': 'application/json' }
const NO_MACHINE: Refused = { status: 400, reason: 'not-a-batch', message: 'The request names no machine.' }

function isForeign(message: string): Refused {
  return { status: 403, reason: 'foreign', message }
}

function refuse(c: Context, refused: Refused, wait = waitAfter(refused)): Response {
  ;(c.get('told') as Told).refused = refused
  const headers = { ...JSON_TYPE, ...(wait !== undefined && { 'retry-after': String(wait) }) }
  return c.body(jsonText({ message: refused.message }), refused.status, headers)
}

/** Says which other person a batch names beside that of its machine. */
function strangerIn({ machine, rows, documents }: Batch): string | undefined {
  const other = [...rows, ...documents].find(({ user }) => user !== machine.user)
  return (
    other &&
    `The batch names ${other.user ?? 'nobody'} beside ${machine.user ?? 'nobody'}: a machine speaks for one person.`
  )
}

function lagOf(rows: readonly TeamRow[], now: number): number | null {
  const newest = rows.reduce((most, { timestamp }) => (timestamp !== null && timestamp > most ? timestamp : most), '')
  return newest === '' ? null : now - Date.parse(newest)
}
