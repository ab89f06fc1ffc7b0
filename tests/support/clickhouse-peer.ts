import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** What somebody asked of the peer. */
export interface Request {
  /** The statement, wherever it stood. */
  readonly sql: string
  /** What stood behind an insert, line by line. */
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly settings: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

/** What the peer answers: a body, an error as ClickHouse tells it, anything else as a gateway would, or nothing at all. */
export type Answer =
  | { readonly body: string }
  | { readonly code: number; readonly name: string; readonly message?: string }
  | { readonly status: number; readonly html: string }
  | 'hang up'
  | 'silence'

/** A small HTTP server that speaks as ClickHouse does, without knowing anything. */
export async function clickhousePeer(answer: (request: Request) => Answer | undefined | Promise<Answer | undefined>) {
  const requests: Request[] = []
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece) => pieces.push(piece))
    incoming.on('end', async () => {
      const url = new URL(incoming.url ?? '/', 'http://peer')
      const whole = Buffer.concat(pieces)
      const body = (incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole).toString()
      const inUrl = url.searchParams.get('query')
      const request = {
        sql: inUrl ?? body,
        rows: inUrl === null ? [] : body.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
        settings: url.searchParams,
        headers: incoming.headers,
      }
      requests.push(request)
      const told = (await answer(request)) ?? { body: '' }
      if (told === 'hang up') return void incoming.socket.destroy()
      if (told === 'silence') return
      if ('body' in told) return void response.end(told.body)
      if ('html' in told) return void response.writeHead(told.status, { 'content-type': 'text/html' }).end(told.html)
      const text = `Code: ${told.code}. DB::Exception: ${told.message ?? 'It is so.'} (${told.name}) (version 26.7.2.1)`
      response.writeHead(500, { 'x-clickhouse-exception-code': String(told.code) }).end(text)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `clickhouse://box@127.0.0.1:${(server.address() as AddressInfo).port}/annals`,
    requests,
    /** What was added, by table. */
    inserts: () =>
      requests.flatMap((one) => ({ ...one, table: tableOf(one) })).filter(({ table }) => table !== undefined),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** The table that a request adds to, if it does. */
export function tableOf({ sql }: Request): string | undefined {
  return /^insert into (\w+)/i.exec(sql)?.[1]
}
