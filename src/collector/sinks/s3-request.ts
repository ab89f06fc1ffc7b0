import { createHash, createHmac } from 'node:crypto'
import { SinkTrouble } from '../sink.ts'

/** Who asks, and where. */
export interface S3Access {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly region: string
}

/** A request as it is signed. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly url: URL
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** The headers of a request with its signature, Version 4. */
export function signedHeaders(request: S3Request, access: S3Access, now: Date): Readonly<Record<string, string>> {
  const { method, url, body = new Uint8Array(0) } = request
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const sum = sha256(body)
  const headers: Record<string, string> = {
    ...request.headers,
    host: url.host,
    'x-amz-content-sha256': sum,
    'x-amz-date': time,
    ...(access.sessionToken !== undefined && { 'x-amz-security-token': access.sessionToken }),
  }
  const names = Object.keys(headers).sort()
  const query = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort()
  const canonical = [
    method,
    url.pathname,
    query.join('&'),
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    sum,
  ].join('\n')
  const scope = `${day}/${access.region}/s3/aws4_request`
  const signed = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [day, access.region, 's3', 'aws4_request'].reduce(
    (made: string | Buffer, part) => hmac(made, part),
    `AWS4${access.secretAccessKey}`,
  )
  const signature = hmac(key as Buffer, signed).toString('hex')
  const { host: _, ...sent } = headers
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${access.accessKeyId}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`,
  }
}

/** As S3 wants it: all but letters, digits and `-._~`. */
export function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** A bucket, below a prefix. */
export class Bucket {
  readonly #base: string
  readonly #prefix: string
  readonly #access: S3Access

  constructor(base: string, prefix: string, access: S3Access) {
    this.#base = base
    this.#prefix = prefix
    this.#access = access
  }

  async get(name: string): Promise<Buffer | undefined> {
    const response = await this.#ask('GET', name, {}, undefined, [404])
    return response.status === 404 ? undefined : Buffer.from(await response.arrayBuffer())
  }

  async put(name: string, body: Uint8Array): Promise<void> {
    await (await this.#ask('PUT', name, {}, body)).arrayBuffer()
  }

  async remove(name: string): Promise<void> {
    await (await this.#ask('DELETE', name, {}, undefined, [404])).arrayBuffer()
  }

  /** The names of all objects that begin so. */
  async list(below: string): Promise<readonly string[]> {
    const names: string[] = []
    for (let token: string | undefined; ; ) {
      const more: Record<string, string> = token === undefined ? {} : { 'continuation-token': token }
      const query = { 'list-type': '2', prefix: `${this.#prefix}${below}`, ...more }
      const text = await (await this.#ask('GET', undefined, query)).text()
      for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
        names.push(unescaped(key).slice(this.#prefix.length))
      token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1]
      if (token === undefined) return names
      token = unescaped(token)
    }
  }

  async #ask(
    method: S3Request['method'],
    name: string | undefined,
    query: Readonly<Record<string, string>>,
    body?: Uint8Array,
    expected: readonly number[] = [],
  ): Promise<Response> {
    const path = name === undefined ? '' : `${this.#prefix}${name}`.split('/').map(escaped).join('/')
    const url = new URL(`${this.#base}/${path}`)
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    const headers = signedHeaders({ method, url, ...(body && { body }) }, this.#access, new Date())
    let response: Response
    try {
      const signal = AbortSignal.timeout(120_000)
      response = await fetch(url, {
        method,
        headers,
        redirect: 'error',
        signal,
        ...(body && { body: new Uint8Array(body) }),
      })
    } catch (error) {
      throw new SinkTrouble(`${url.host} cannot be reached.`, { passes: true, cause: error })
    }
    if (response.ok || expected.includes(response.status)) return response
    const text = await response.text()
    const code = /<Code>([^<]*)</.exec(text)?.[1] ?? ''
    const passes = response.status >= 500 || response.status === 429 || code === 'RequestTimeout'
    throw new SinkTrouble(`${url.host} refused (${response.status}${code && `, ${code}`}).`, {
      passes,
      ...(!passes && {
        hint: 'Look at AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and the name of the bucket.',
      }),
    })
  }
}

function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|apos|amp|#(\d+));/g, (_, name: string, code: string) =>
    code ? String.fromCodePoint(Number(code)) : (signs[name] ?? ''),
  )
}
