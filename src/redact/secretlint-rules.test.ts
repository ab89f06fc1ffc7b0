import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import { expect, test } from 'vitest'
import { KINDS } from '../../tests/secrets/kinds.ts'
import { randomFrom } from '../../tests/secrets/random.ts'
import { LEFT_OUT, presetNames, secretlintRules } from './secretlint-rules.ts'

const ID = '@secretlint/secretlint-rule-'

test('every rule of the preset is used or left out for a reason', () => {
  const used = presetNames.length - LEFT_OUT.length
  expect(presetNames).toEqual(expect.arrayContaining([...LEFT_OUT]))
  expect(secretlintRules).toHaveLength(used)
})

test('our way of asking finds what secretlint itself finds', async () => {
  let both = 0
  for (const { name, make } of KINDS) {
    const { text } = make(randomFrom(name))
    const theirs = await lintSource({
      source: { content: text, filePath: 'a.txt', ext: '.txt', contentType: 'text' },
      options: { config: { rules: [{ id: `${ID}preset-recommend`, rule: creator, rules: [], options: {} }] } },
    })
    const spans = theirs.messages.filter(({ ruleId }) => !LEFT_OUT.includes(ruleId.replace(ID, '')))
    for (const { range } of spans) {
      const [from, to] = range
      const ours = secretlintRules.some((rule) => {
        const found = rule.match(text, from)
        return found?.from === from && found.to === to
      })
      expect(ours || text.slice(from, to).startsWith('https://hooks.'), name).toBe(true)
      both++
    }
  }
  expect(both).toBeGreaterThan(15)
})
