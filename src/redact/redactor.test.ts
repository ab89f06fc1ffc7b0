import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { certainSecrets } from '../../tests/redact-certain.ts'
import { ALPHABET, randomFrom } from '../../tests/secrets/random.ts'
import { Failure } from '../core/failure.ts'
import { isObject, type JsonValue } from '../core/json.ts'
import { allRules, createRedactor } from './redactor.ts'

const key = Buffer.from('a key of thirty-two bytes, fixed')
const redactor = createRedactor({ key })
const random = randomFrom('redactor')
const chars = (length: number) => random.chars(ALPHABET.base62, length)
const github = `gh${'p_'}${chars(36)}`
const stripe = `sk${'_live_'}${chars(24)}`
const PLACEHOLDER = /^\[REDACTED:[a-z0-9-]+:[0-9a-f]{4}\]$/

describe('text', () => {
  test('has a placeholder for each secret, and all else as it was', () => {
    const { text, found } = redactor.text(`one ${github} two ${stripe}, three`)
    expect(text).toMatch(/^one \[REDACTED:github-token:[0-9a-f]{4}\] two \[REDACTED:stripe-key:[0-9a-f]{4}\], three$/)
    expect(found.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['github-token', 4, 44],
      ['stripe-key', 49, 81],
    ])
  })

  test('names a secret alike wherever and however it stands, and otherwise under another key', () => {
    const ways = [github, `x="${github}"`, Buffer.from(`the token is ${github}`).toString('base64'), `TOKEN=${github}`]
    const placeholders = ways.map((text) => redactor.scan(text)[0]?.placeholder)
    expect(new Set(placeholders).size).toBe(1)
    expect(placeholders[0]).toMatch(PLACEHOLDER)
    const others = Array.from({ length: 5 }, (_, at) => createRedactor({ key: Buffer.alloc(32, at) }).scan(github)[0])
    expect(new Set(others.map((found) => found?.placeholder)).size).toBeGreaterThan(1)
  })

  test('needs a key: without one, whoever guesses a secret could check the guess', () => {
    expect(() => createRedactor({ key: new Uint8Array() })).toThrow(Failure)
    expect(() => createRedactor({ key: new Uint8Array() })).toThrow('needs a key')
  })

  test('names a secret by the rule that knows most about it', () => {
    expect(redactor.scan(`GITHUB_TOK${'EN'}=${github}`).map(({ kind }) => kind)).toEqual(['github-token'])
    expect(redactor.scan(`https://ana:${github}@git.test/x`).map(({ kind }) => kind)).toEqual(['github-token'])
  })

  test('hides two secrets that stand against each other', () => {
    const { text } = redactor.text(`${github.slice(0, 40)}${stripe}`)
    expect(text).not.toContain(stripe.slice(8, 20))
  })

  test('hides only the password of an address', () => {
    const made = `postgres://ana:${chars(14)}@db.test:5432/app`
    expect(redactor.text(made).text).toMatch(
      /^postgres:\/\/ana:\[REDACTED:url-password:[0-9a-f]{4}\]@db\.test:5432\/app$/,
    )
  })

  test('hides the signature of a signed address, whatever else is left of it', () => {
    for (const [name, length] of [
      ['X-Amz-Signature', 64],
      ['x-amz-signature', 64],
      ['X-Goog-Signature', 512],
    ] as const) {
      const signature = random.chars(ALPHABET.hex, length)
      for (const before of ['', 'https://files.test/q3.pdf?', 'https://files.test/q3.pdf?X-Amz-Expires=60&']) {
        expect(redactor.text(`${before}${name}=${signature}&x=1`).text).toMatch(
          new RegExp(`^${before.replace('?', '[?]')}${name}=\\[REDACTED:\\w+-signature:[0-9a-f]{4}\\]&x=1$`),
        )
      }
    }
  })

  test('hides a token of which only the beginning is there', () => {
    for (let length = 12; length < github.length; length++) {
      expect(redactor.text(`out: ${github.slice(0, length)}`).text).not.toContain(github.slice(4, 12))
    }
  })

  test('hides a private key to its end, or as far as it goes', () => {
    const lines = Array.from({ length: 9 }, () => chars(64))
    const whole = `-----BEGIN RSA ${'PRIVATE'} KEY-----\n${lines.join('\n')}\n-----END RSA ${'PRIVATE'} KEY-----`
    expect(redactor.text(`a\n${whole}\nb`).text).toMatch(/^a\n\[REDACTED:private-key:....\]\nb$/)
    const cut = redactor.text(`a\n${whole.slice(0, 300)}`).text
    expect(cut).toMatch(/^a\n\[REDACTED:private-key:....\]$/)
    const end = redactor.text(whole.slice(300)).text
    for (const line of lines) expect(end).not.toContain(line)
    const said = `It looks for "-----BEGIN RSA ${'PRIVATE'} KEY-----" in files and then reports what it saw`
    expect(redactor.text(said).text).toBe(said)
  })

  test('lets no text switch a rule off', () => {
    expect(redactor.text(`/* secretlint-disable */ ${github}`).text).not.toContain(github)
  })
})

describe('a secret that is known by where it stands', () => {
  const human = `Dragon${random.chars(ALPHABET.digits, 4)}`
  test.each([
    (secret: string) => `passwd=${secret}`,
    (secret: string) => `POSTGRES_PASSWORD=${secret}`,
    (secret: string) => `jdbc:postgresql://db/shop?user=a&password=${secret}&ssl=true`,
    (secret: string) => `login --user ana --password ${secret} --dry-run`,
    (secret: string) => `mysql -u root -p${secret} shop`,
    (secret: string) => `db.test:5432:shop:ana:${secret}`,
    (secret: string) => `smtp:\n  user: ana\n  pass: ${secret}`,
    (secret: string) => `<password>${secret}</password>`,
    (secret: string) => `<pre>{&quot;password&quot;: &quot;${secret}&quot;}</pre>`,
    (secret: string) => `ALTER ROLE ana WITH PASSWORD '${secret}';`,
    (secret: string) => `echo "ana:${secret}" | chpasswd`,
    (secret: string) => `the old machine still starts with passwd=${secret.slice(0, 4)}\n${secret.slice(4)} as before`,
  ])('is hidden, and nothing else: %s', (written) => {
    const { text, found } = redactor.text(written(human))
    expect(found).toHaveLength(1)
    expect(text.replaceAll('\n', '')).toBe(written(found[0]?.placeholder ?? '').replaceAll('\n', ''))
  })

  test.each([
    ['ya29.', 180],
    [`xox${'b-'}1-`, 60],
    [`rk${'_live_'}`, 99],
    [`ntn${'_12345678901'}`, 35],
    [`lin${'_api_'}`, 40],
  ])('is hidden to its end when it begins with %s and is wrapped at 40 columns', (beginning, length) => {
    const token = beginning + chars(length)
    const rows = `it is ${token}`.match(/.{1,40}/g) ?? []
    expect(redactor.text(`${rows.join('\n')}\nand works`).text).toMatch(/^it is \[REDACTED:[a-z-]+:....\]\nand works$/)
  })
})

describe('what is not a secret', () => {
  test.each([
    'password: string',
    'token = await getToken()',
    'const apiKey = process.env.API_KEY',
    'max_tokens: 4096',
    'DB_PASSWORD=changeme',
    'POSTGRES_PASSWORD=postgres',
    'password: sha256',
    'password: base64.b64encode(x)',
    '--- PASS: TestGetGitDirInPath (0.01s)',
    'the password is stored as argon2id',
    'mysql -u root -p shop',
    'docker run -p 127.0.0.1:8080:80/tcp app',
    'db_password_file: /run/secrets/db_password2',
    'CACHE_KEY=3f9a7c21e5b04d68a1c2',
    'password: string\ntoken2: Token',
    'PASSWORD=changeme\nTOKEN=foo2',
    'API_KEY=your-api-key-here',
    'next_page_token: "CAUQAA8hGgYIxK7m3Q5bPw2Zt"',
    'AKIAIOSFODNN7EXAMPLE',
    'https://example.com:8080/@user/x',
    'expect(secret).toBe("test-secret-1")',
    'docker run -u 1000:1000 app',
    'Bearer tokens are sent in the header',
  ])('%s', (text) => expect(redactor.text(text)).toEqual({ text, found: [] }))
})

describe('a JSON value', () => {
  test('is redacted in every string and every name, however deep', () => {
    const { value, found } = redactor.value({ a: [{ b: `x ${github}` }, 1, null], [github]: true })
    expect(JSON.stringify(value)).not.toContain(github.slice(4))
    expect(found.map(({ path }) => path.replaceAll(/:[0-9a-f]{4}\]/g, ':hash]'))).toEqual([
      'a[0].b',
      '[REDACTED:github-token:hash]',
    ])
  })

  test('is the same object where it holds no secret', () => {
    const clean = { message: { content: [{ type: 'text', text: 'hello' }], usage: { input_tokens: 3 } } }
    expect(redactor.value(clean).value).toBe(clean)
  })

  test('is redacted by the names of its fields', () => {
    const value = { user: 'ana', pass_word: 'x', ['pass' + 'word']: 'hunter2', next: { apiKey: chars(32) } }
    const { found } = redactor.value(value)
    expect(found.map(({ kind, path }) => [kind, path])).toEqual([
      ['assigned-password', 'password'],
      ['assigned-key', 'next.apiKey'],
    ])
  })

  test('keeps pictures, signatures and what is encrypted', () => {
    const opaque = [
      { type: 'thinking', thinking: 'hm', signature: github },
      { type: 'redacted_thinking', data: github },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: github } },
      { type: 'image', file: { base64: `iVBORw0KGgo${github}`, type: 'image/png' } },
      { type: 'web_search_result', encrypted_content: github },
    ]
    expect(redactor.value(opaque).value).toBe(opaque)
  })

  test('does not take a signature for one elsewhere', () => {
    expect(redactor.value({ signature: github }).found).toHaveLength(1)
    expect(redactor.value({ type: 'base64', media_type: 'text/plain', data: github }).found).toHaveLength(1)
  })

  test('is redacted across two blocks of text', () => {
    const blocks = [
      { type: 'text', text: `the token is ${github.slice(0, 20)}` },
      { type: 'text', text: `${github.slice(20)} and that is all` },
    ]
    const { value, found } = redactor.value({ content: blocks })
    expect(value).toMatchObject({
      content: [
        { text: expect.stringMatching(/^the token is \[REDACTED:github-token:....\]$/) },
        { text: ' and that is all' },
      ],
    })
    expect(found.map(({ path }) => path)).toEqual(['content[0].text'])
  })

  test('may hold a field of any name', () => {
    const value = JSON.parse(`{"__proto__": {"x": "${github}"}, "constructor": "${stripe}"}`) as JsonValue
    const redacted = redactor.value(value)
    expect(redacted.found).toHaveLength(2)
    expect(Object.keys(redacted.value as object)).toEqual(['__proto__', 'constructor'])
  })

  test('loses no field where two names become one', () => {
    const { value } = redactor.value({ [`a ${github}`]: 1, [`a "${github}`]: 2, [`a ${github}"`]: 3 })
    expect(Object.values(value as object)).toEqual([1, 2, 3])
  })

  test('may be nested deeper than calls can be', () => {
    let value: JsonValue = github
    for (let depth = 0; depth < 200_000; depth++) value = depth % 2 ? [value] : { a: value }
    const { found } = redactor.value(value)
    expect(found).toHaveLength(1)
  })
})

describe('settings', () => {
  test('of one’s own add kinds', () => {
    const own = createRedactor({ key, patterns: [{ kind: 'acme-id', pattern: /acme-(\d{4})/, keywords: ['acme'] }] })
    expect(own.text('ACME-1 acme-1234 acme-12345').text).toMatch(
      /^ACME-1 acme-\[REDACTED:acme-id:....\] acme-\[REDACTED:acme-id:....\]5$/,
    )
    expect(own.version).not.toBe(redactor.version)
  })

  test('without keywords are asked of every text', () => {
    const own = createRedactor({ key, patterns: [{ kind: 'zip', pattern: /\b\d{5}\b/ }] })
    expect(own.text('12345').text).toMatch(PLACEHOLDER)
  })

  test('allow what may be seen', () => {
    const allowing = createRedactor({ key, allow: [github, /^sk_live_/] })
    expect(allowing.text(`${github} ${stripe}`).found).toEqual([])
    const other = `gh${'p_'}${chars(36)}`
    expect(allowing.text(other).found).toHaveLength(1)
  })
})

test('a key that a patch has line by line is found, and the lines around it stay', () => {
  const dashes = '-'.repeat(5)
  const key = [
    `${dashes}BEGIN PRIVATE KEY${dashes}`,
    ...Array.from({ length: 6 }, () => chars(64)),
    `${dashes}END PRIVATE KEY${dashes}`,
  ]
  const { value, found } = redactor.value({ lines: [' before', ...key.map((line) => `+${line}`), ' after'] })
  expect(found).toMatchObject([{ path: 'lines[1]' }])
  const lines = isObject(value) && Array.isArray(value.lines) ? value.lines : []
  expect(lines[0]).toBe(' before')
  expect(lines.at(-1)).toBe(' after')
  for (const line of key) expect(JSON.stringify(value)).not.toContain(line.slice(0, 16))
})

describe('laws', () => {
  const secret = fc.constantFrom(...certainSecrets(1), ...certainSecrets(2))
  const around = fc.string({ unit: 'grapheme', maxLength: 30 })

  test('a text without any keyword stays as it is, byte for byte', () => {
    const words = allRules.flatMap(({ keywords }) => keywords)
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const folded = text.toLowerCase().replaceAll(/[\r\n]/g, '')
        fc.pre(!words.some((word) => folded.includes(word)))
        expect(redactor.text(text)).toEqual({ text, found: [] })
      }),
      { numRuns: 500 },
    )
  })

  test('redacting twice is redacting once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(around, secret), { minLength: 1, maxLength: 4 }), (parts) => {
        const once = redactor.text(parts.map(([before, made]) => before + made.text).join('')).text
        expect(redactor.text(once)).toEqual({ text: once, found: [] })
      }),
      { numRuns: 500 },
    )
  })

  test('a text that was redacted can be cut anywhere without showing eight characters of a secret', () => {
    fc.assert(
      fc.property(around, secret, around, (before, made, after) => {
        const { text, found } = redactor.text(`${before} ${made.text} ${after}`)
        const redacted = Buffer.from(text)
        const names = found.map(({ placeholder }) => placeholder).join(' ')
        const known = `${before} ${after} ${made.text.replace(made.secret, ' ')} ${names}`
        for (let cut = 0; cut <= redacted.length; cut++) {
          const shown = redacted.subarray(0, cut).toString().slice(-12)
          for (let from = 0; from + 8 <= shown.length; from++) {
            const part = shown.slice(from, from + 8)
            if (made.secret.includes(part) && !known.includes(part)) expect.fail(part)
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  test('findings are in order, apart, and inside the text', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(around, secret), { maxLength: 4 }), (parts) => {
        const text = parts.map(([before, made]) => `${before} ${made.text}`).join('\n')
        let last = 0
        for (const { from, to, placeholder } of redactor.scan(text)) {
          expect(from).toBeGreaterThanOrEqual(last)
          expect(to).toBeGreaterThan(from)
          expect(placeholder).toMatch(PLACEHOLDER)
          last = to
        }
        expect(last).toBeLessThanOrEqual(text.length)
      }),
    )
  })
})
