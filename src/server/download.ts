import { randomBytes } from 'node:crypto'
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { objectsAt, parseJson, stringAt } from '../core/json.ts'
import { type Static, Type } from '../core/schema.ts'
import type { Asking } from './query.ts'
import { readQuery } from './query.ts'
import type { Parts, Route } from './routes.ts'

const DOWNLOAD = {
  name: 'download',
  input: Type.Object({
    session: Type.String('A session'),
    to: Type.Choice(['html', 'md', 'bundle'], 'As what'),
  }),
} as const satisfies Asking

const PRINT = { name: 'print', input: Type.Object({ session: Type.String('A session') }) } as const satisfies Asking

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  bundle: 'application/octet-stream',
}

/** A whole session as a file to save, or as a page for the printer; secrets are masked, as in every export. */
export function downloadRoutes(parts: Pick<Parts, 'pool' | 'onBug'>): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/download',
      async handle(asked) {
        const { session, to } = readQuery(DOWNLOAD, new URL(asked.req.url).searchParams) as Static<
          typeof DOWNLOAD.input
        >
        const made = await exported(parts, session, to)
        if (made instanceof Response) return made
        const file = createReadStream(made.path)
        file.once('close', made.remove)
        const headers = { 'Content-Type': TYPES[to] as string, 'Content-Disposition': attachment(basename(made.path)) }
        return new Response(Readable.toWeb(file) as ReadableStream<Uint8Array>, { headers })
      },
    },
    {
      method: 'GET',
      path: '/api/print',
      async handle(asked) {
        const { session } = readQuery(PRINT, new URL(asked.req.url).searchParams) as Static<typeof PRINT.input>
        const made = await exported(parts, session, 'html')
        if (made instanceof Response) return made
        const page = readFileSync(made.path, 'utf8')
        made.remove()
        return printed(page)
      },
    },
  ]
}

interface Made {
  readonly path: string
  readonly remove: () => void
}

/** Has a session written into a folder of its own, which is removed when it was sent; or says why not. */
async function exported(
  { pool, onBug }: Pick<Parts, 'pool' | 'onBug'>,
  session: string,
  to: string,
): Promise<Made | Response> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-download-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const answer = await pool.ask({ op: 'export', input: { sessions: [session], to }, cwd: folder })
  const [file] = objectsAt(parseJson(new TextDecoder().decode(answer.body)), 'files')
  const path = stringAt(file, 'file')
  if (answer.status === 200 && path !== undefined) return { path, remove }
  remove()
  if (answer.bug !== undefined) onBug(answer.bug)
  return new Response(answer.body, { status: answer.status, headers: { 'Content-Type': 'application/json' } })
}

/**
 * An exported page that opens the printer's window. It stands alone: it may run nothing but that, load nothing, and is of no
 * origin, so that nothing in it can ask this server.
 */
function printed(page: string): Response {
  const nonce = randomBytes(16).toString('base64')
  const policy = `sandbox allow-scripts allow-modals; default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'nonce-${nonce}'`
  const headers = { 'Content-Type': TYPES.html as string, 'Content-Security-Policy': policy }
  return new Response(`${page}<script nonce="${nonce}">addEventListener('load', () => print())</script>\n`, { headers })
}

/** A name that every browser takes as one. */
function attachment(name: string): string {
  return `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`
}
