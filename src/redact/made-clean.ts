import type { JsonValue } from '../core/json.ts'
import { chars, type Random } from './made-secrets.ts'

const HEX = '0123456789abcdef'
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const WORDS =
  'the queue keeps every row until a writer says done then the reader takes next task risk disk path pattern skip author tokenizer secretary passwordless basic machine bearer of news authorization header cookie'.split(
    ' ',
  )

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T
}

function words(r: Random, count: number): string {
  return Array.from({ length: count }, () => pick(r, WORDS)).join(' ')
}

function uuid(r: Random): string {
  return [8, 4, 4, 4, 12].map((count) => chars(r, count, HEX)).join('-')
}

function times(count: number, make: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => make(at)).join('\n')
}

/** Things of every day that hold no secret, many of which look as if they did. */
const TEXTS: readonly ((r: Random) => string)[] = [
  (r) => words(r, 60),
  (r) => times(12, () => `${chars(r, 40, HEX)} ${words(r, 5)}`),
  (r) => times(8, () => `index ${chars(r, 7, HEX)}..${chars(r, 7, HEX)} 100644\n--- a/src/${pick(r, WORDS)}.ts`),
  (r) =>
    times(
      6,
      () =>
        `"resolved": "https://packages.example.com/x/-/x-1.2.3.tgz",\n"integrity": "sha512-${chars(r, 86, BASE64)}=="`,
    ),
  (r) =>
    times(
      6,
      () =>
        `  version "1.0.${Math.floor(r() * 99)}"\n  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#${chars(r, 40, HEX)}"`,
    ),
  (r) => times(6, () => `golang.org/x/net v0.${Math.floor(r() * 40)}.0 h1:${chars(r, 43, BASE64)}=`),
  (r) => times(6, () => `checksum = "${chars(r, 64, HEX)}"`),
  (r) => times(6, () => `    --hash=sha256:${chars(r, 64, HEX)} \\`),
  (r) => times(8, () => `${uuid(r)}  ${pick(r, WORDS)}`),
  (r) => `![x](data:image/png;base64,iVBORw0KGgo${chars(r, 900, BASE64)}=)`,
  (r) =>
    times(
      3,
      () =>
        `!function(e,t){var ${chars(r, 1, 'abcdef')}=t[${Math.floor(r() * 99)}];e.${chars(r, 2, 'abcdefg')}=function(){return ${chars(r, 1, 'xyz')}.getToken(e.password,"${pick(r, WORDS)}")},sk=t.g.${chars(r, 12)}}(this,${chars(r, 8)});`,
    ),
  (r) =>
    times(
      4,
      () =>
        `  password: string\n  token?: string\n  apiKey = config.apiKey\n  const secret = await getSecret('${pick(r, WORDS)}')\n  const token = req.headers.authorization?.split(' ')[1]`,
    ),
  () =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what stands in such files
    'DB_PASSWORD=\nAPI_KEY=your-api-key-here\nSECRET_KEY=<your secret>\nTOKEN=changeme\nGITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}\nNPM_TOKEN=$NPM_TOKEN\nPGPASSWORD="$(cat pw)"',
  () =>
    'env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: db-secret\n        key: password\n  - name: API_TOKEN\n    value: "{{ .Values.apiToken }}"',
  () =>
    `const password = process${'.env'}.DB_PASSWORD ?? ''\nconst auth = new Authenticator({ token: options.token, secret: settings.secret })\nexpect(token).toBe('test-token-123')\nlogin({ user: 'ana', password: 'password' })`,
  (r) =>
    `{"id":"msg_01${chars(r, 22)}","next_page_token":"${chars(r, 40)}","usage":{"input_tokens":${Math.floor(r() * 9000)},"cache_read_input_tokens":12}}`,
  (r) =>
    times(
      5,
      (at) =>
        `    at Object.<anonymous> (/home/ana/work/app/node_modules/x/dist/${chars(r, 8)}.js:${at}:${Math.floor(r() * 9999)})`,
    ),
  (r) =>
    times(6, () => `${chars(r, 12, HEX)}   app:${chars(r, 7, HEX)}   "docker-entrypoint.s…"   0.0.0.0:5432->5432/tcp`),
  (r) =>
    times(
      5,
      () =>
        `https://example.com/a/${uuid(r)}?utm_source=x&page=${Math.floor(r() * 9)}&q=a%20b%2Fc#L${Math.floor(r() * 900)}`,
    ),
  (r) =>
    `git@github.com:ana/app.git\nhttps://github.com/ana/app/commit/${chars(r, 40, HEX)}\nssh://git@host:22/x\nhttp://localhost:3000/@vite/client`,
  (r) => `toolu_01${chars(r, 22)} req_011${chars(r, 21)} ${chars(r, 16, HEX)}`,
  (r) => times(6, () => `.css-${chars(r, 6)}{background:url(#${chars(r, 5, HEX)});color:#${chars(r, 6, HEX)}}`),
  (r) => times(4, () => `sha256:${chars(r, 64, HEX)}: Pull complete\nDigest: sha256:${chars(r, 64, HEX)}`),
  (r) =>
    `-----BEGIN CERTIFICATE-----\n${times(8, () => `MII${chars(r, 61, BASE64)}`)}\n-----END CERTIFICATE-----\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${chars(r, 43, BASE64)} ana@host`,
  (r) =>
    `  chunk-${chars(r, 8)}.js   ${Math.floor(r() * 900)} kB │ gzip: 12 kB\n  assets/index-${chars(r, 8)}.css\n  etag: "${chars(r, 27)}"`,
  (r) =>
    times(
      5,
      () =>
        `test.each(['${pick(r, WORDS)}', '${pick(r, WORDS)}'])('auth: %s', (name) => expect(login(name, { password: name })).toBe(true))`,
    ),
  (r) =>
    times(
      4,
      () =>
        `Resolved 12 packages; sk-learn, task-list, pa-system, hf_hub_download, cio-lib, npm_config_registry, ghp_, xoxb-, ${words(r, 4)}`,
    ),
  (r) =>
    `docker run -u 1000:1000 -e TZ=UTC app\ncurl -u "$USER:$PASS" https://x.test\nmysql -u root -p app\nredis://localhost:6379\npostgres://postgres:postgres@localhost:5432/app is not used; ${words(r, 3)}`.replace(
      'postgres://postgres:postgres@',
      'postgres://',
    ),
]

/** A clean message as a log holds it: text, tool output, thinking with its signature, or a picture. */
export function cleanMessage(random: Random, at: number): JsonValue {
  const text = (TEXTS[at % TEXTS.length] as (typeof TEXTS)[number])(random)
  const content: JsonValue[] = [{ type: 'text', text }]
  if (at % 3 === 0)
    content.push({ type: 'thinking', thinking: words(random, 20), signature: `Eo${chars(random, 400, BASE64)}==` })
  if (at % 5 === 0) {
    content.push({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: `iVBORw0KGgo${chars(random, 2000, BASE64)}` },
    })
  }
  if (at % 4 === 0)
    content.push({ type: 'tool_result', tool_use_id: `toolu_01${chars(random, 22)}`, content: `${text}\nok` })
  return {
    type: 'user',
    uuid: uuid(random),
    sessionId: uuid(random),
    timestamp: '2026-11-01T09:30:00.000Z',
    message: { role: 'user', content },
  }
}
