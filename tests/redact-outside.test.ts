import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../src/redact/redactor.ts'

// The packages on npm ship no examples, so a checkout of secretlint's source is needed: see docs/redaction.md.
const checkout = process.env.ANNALS_SECRETLINT
const packages = checkout === undefined ? undefined : join(checkout, 'packages/@secretlint')

/** Rules for what we do not call a secret: names of users, of hosts, of settings. */
const OTHER_AIMS = new Set([
  'secretlint-rule-no-homedir',
  'secretlint-rule-no-dotenv',
  'secretlint-rule-filter-comments',
])

interface Example {
  readonly rule: string
  readonly name: string
  readonly isSecret: boolean
  readonly text: string
}

describe.skipIf(packages === undefined)('the examples of secretlint (needs ANNALS_SECRETLINT=<its checkout>)', () => {
  test('are looked at, and how often we decide as secretlint does is printed', () => {
    const examples = examplesIn(packages as string)
    expect(examples.length).toBeGreaterThan(0)
    const redactor = createRedactor({ key: new Uint8Array(32) })
    const rates = new Map<string, { agreed: number; missed: string[] }>()
    for (const { rule, name, isSecret, text } of examples) {
      const rate = rates.get(rule) ?? { agreed: 0, missed: [] }
      rates.set(rule, rate)
      if (redactor.scan(text).length > 0 === isSecret) rate.agreed++
      else rate.missed.push(name)
    }
    const lines = [...rates].map(([rule, { agreed, missed }]) => {
      return `${rule}: ${agreed} of ${agreed + missed.length}${missed.length > 0 ? ` (not: ${missed.join(', ')})` : ''}`
    })
    console.log(lines.sort().join('\n'))
  })
})

/** Examples as secretlint keeps them: `test/snapshots/<ok or ng>.<name>/input.<any>`. */
function examplesIn(folder: string): readonly Example[] {
  return readdirSync(folder)
    .filter((rule) => rule.startsWith('secretlint-rule-') && !OTHER_AIMS.has(rule))
    .flatMap((rule) => {
      const snapshots = join(folder, rule, 'test/snapshots')
      if (!existsSync(snapshots)) return []
      return readdirSync(snapshots).flatMap((name) => {
        const input = inputIn(join(snapshots, name))
        if (!/^(?:ok|ng)\./.test(name) || input === undefined) return []
        return [{ rule, name, isSecret: name.startsWith('ng.'), text: readFileSync(input, 'utf8') }]
      })
    })
}

function inputIn(folder: string): string | undefined {
  if (!statSync(folder).isDirectory()) return undefined
  const name = readdirSync(folder).find((one) => one.startsWith('input.'))
  return name && join(folder, name)
}
