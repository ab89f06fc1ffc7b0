import { describe, expect, test } from 'vitest'
import { allRules, createRedactor } from './redactor.ts'

// None of these tests looks at a clock. A pattern that tries every way to split a text would need more steps for one of
// these inputs than a computer makes in a day, and the test would never end.
const redactor = createRedactor({ key: Buffer.alloc(32) })
const SIZE = 200_000
const words = [...new Set(allRules.flatMap(({ keywords }) => keywords))]

function filled(unit: string, size = SIZE): string {
  return unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
}

describe('a long text is read to its end', () => {
  test.each([
    'a',
    'A1',
    '0',
    ' ',
    '\n',
    '\\',
    '\\n',
    '%25',
    '%',
    '\u001b[',
    '\u001b[1m',
    '\u001b]8;;',
    '=',
    '"',
    'é',
    '\ud83d',
    'eyJ',
    'eyJa.eyJb.',
    'eyJhbGciOi-',
    '-',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN RSA PRIVATE KEY-----\\n',
    '-----END PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY----- a-b-c',
    '://a:',
    '://a:b@',
    '://:@:',
    'xoxb-1-',
    'bearer ',
    'Bearer: ',
    'authorization: basic ',
    'cookie: a=b; ',
    'machine a login b password ',
    'password=',
    'password = "',
    "token: '",
    'api_key=a1\n',
    '--token ',
    'SG.a.',
    'sk-ant-api03-',
    'ghp_a1b2c3d4\n',
    'dp.st.a.',
    '$argon2id$v=1$a,$',
    '[REDACTED:a:0000]',
    'AAAAAAAAAAAAAAAAAAAAA',
    'glpat-a1.',
    '.Gaaaaa.',
    ':AA',
    'a@',
    'a\n',
    '&amp;',
    '&#39;',
    '&amp;amp;quot;',
    'mysql -u root ',
    'mysql \\\n',
    'curl -u a',
    'lftp -u a,',
    'net user a ',
    'echo a | ',
    "auth=('a', '",
    '*:*:*:',
    'db:5432:a:a:',
    'kty"',
    'kty" "d":"',
    'password is ',
    'password: a1\n',
    'a password 1\n',
    'variable "password" {\n  default = ',
    '- name: PASSWORD\n  value: ',
    '<password>a1',
    'PASSWORD(',
    "identified by '",
    'Signature=AWS4-HMAC-SHA256 ',
    'A_KEY=',
    'KEY_KEY_',
    'AQE-',
    'tskey-a-',
  ])('of %j', (unit) => {
    expect(redactor.text(filled(unit)).text.length).toBeGreaterThan(0)
  })

  test('of every keyword, again and again or with a long run behind it', () => {
    const units = ['', 'a1', '\n', '\\"', '="a1b2c3d4', 'A1b2-', 'aB3/', 'a.', 'a\n', 'a\\n']
    for (const [at, word] of words.entries()) {
      const unit = units[at % units.length] as string
      redactor.scan(filled(word + unit, 2000))
      redactor.scan(word + filled(unit === '' ? '1' : unit, 2000))
    }
  })

  test('of a keyword in a thousand lines that go on', () => {
    redactor.scan(filled(`${'x'.repeat(70)} ghp_\n`))
    redactor.scan(filled(`${'x'.repeat(70)} token=a1b2c3d4e5f6\n`))
    redactor.scan(filled(`${'x'.repeat(20)}ya29.a1b2c3d4e5f6g7h8i9j0k1\n`))
    redactor.scan(filled('password=a1b2c3d4e5f6\npassword\n=a1'))
  })

  test('in one list of blocks', () => {
    const blocks = Array.from({ length: 500 }, () => ({ type: 'text', text: 'ghp_a1b2c3d4e5f6g7h8' }))
    expect(redactor.value(blocks).found.length).toBeGreaterThan(0)
  })
})
