// ClickHouse itself, as a library (chdb), behind as much of its HTTP interface as @clickhouse/client needs.
// node clickhouse-door.mjs FOLDER-OF-CHDB DATA: prints its port when it listens; ends with its standard input.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const [installed, data] = process.argv.slice(2)
const { Session } = createRequire(join(installed, 'package.json'))('chdb')
const session = new Session(data)
/** What of an address is no setting of a query. */
const OWN =
  /^(query|query_id|database|session_id|role|default_format|enable_http_compression|wait_end_of_query|param_.*)$/

const server = createServer((request, response) => {
  const pieces = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', async () => {
    const url = new URL(request.url, 'http://localhost')
    if (url.pathname === '/ping') return response.end('Ok.\n')
    const { 'content-encoding': packing, 'content-type': type } = request.headers
    const body = packing === 'gzip' ? gunzipSync(Buffer.concat(pieces)) : Buffer.concat(pieces)
    if (!type?.startsWith('multipart/form-data')) return answer(url.searchParams, body, response)
    const form = await new Response(body, { headers: { 'content-type': type } }).formData()
    answer(new URLSearchParams([...url.searchParams, ...form]), Buffer.alloc(0), response)
  })
})

/** One session serves all: what a query sets for itself is taken back behind it. */
function answer(asked, body, response) {
  const [inUrl, database] = [asked.get('query'), asked.get('database')]
  const settings = [...asked].filter(([name]) => !OWN.test(name))
  const params = [...asked].filter(([name]) => name.startsWith('param_'))
  const head = inUrl ?? `${body}`
  const format = /\bFORMAT\s+(\w+)\s*;?\s*$/i.exec(head)?.[1] ?? 'TabSeparated'
  const before = [
    ...(database ? [`USE \`${database}\``] : []),
    ...[...settings, ...params].map(([name, value]) => `SET ${name} = ${literal(value)}`),
  ]
  try {
    const out = session.query([...before, inUrl === null ? head : `${head}\n${body}`].join(';\n'), format)
    response.end(out)
  } catch (error) {
    const text = String(error.message).replace(/^Query failed: /, '')
    const code = /Code: (\d+)/.exec(text)?.[1] ?? '1002'
    response.writeHead(code === '516' ? 401 : 500, { 'x-clickhouse-exception-code': code })
    response.end(text)
  } finally {
    if (settings.length > 0) session.query(settings.map(([name]) => `SET ${name} = DEFAULT`).join(';'))
    if (database) session.query('USE default')
  }
}

function literal(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`
}

server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().on('end', () => process.exit(0))
