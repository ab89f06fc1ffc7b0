import { expect, test } from 'vitest'
import { modelName } from './model-name.ts'

test.each([
  ['claude-opus-5-5', 'claude-opus-5-5'],
  ['claude-opus-5-5[1m]', 'claude-opus-5-5'],
  ['claude-opus-4-5-20251101', 'claude-opus-4-5'],
  ['claude-opus-4-20250514', 'claude-opus-4'],
  ['claude-sonnet-4-20250514[1m]', 'claude-sonnet-4'],
  ['claude-3-5-haiku-20241022', 'claude-3-5-haiku'],
  ['claude-3-5-haiku-latest', 'claude-3-5-haiku'],
  ['claude-3-7-sonnet-latest', 'claude-3-7-sonnet'],
  ['us.anthropic.claude-opus-4-1-20250805-v1:0', 'claude-opus-4-1'],
  ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
  ['global.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
  ['us-gov.anthropic.claude-3-5-sonnet-20240620-v1:0', 'claude-3-5-sonnet'],
  ['anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet'],
  ['anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
  [
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0',
    'claude-opus-4-1',
  ],
  ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
  ['claude-opus-4@20250514', 'claude-opus-4'],
  ['claude-3-5-sonnet-v2@20241022', 'claude-3-5-sonnet'],
  ['claude-opus-4-8@default', 'claude-opus-4-8'],
  ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
  ['openrouter/anthropic/claude-opus-4.1', 'claude-opus-4-1'],
  ['anthropic/claude-3.7-sonnet:thinking', 'claude-3-7-sonnet'],
  ['claude-4-5-sonnet', 'claude-sonnet-4-5'],
  ['claude-4-opus-20250514', 'claude-opus-4'],
  ['claude-sonnet-3-7', 'claude-3-7-sonnet'],
  ['claude-sonnet-4-0', 'claude-sonnet-4'],
  ['claude-fable-5-2', 'claude-fable-5-2'],
  ['claude-3-opus-20240229', 'claude-3-opus'],
  ['z-ai/glm-4.6', 'glm-4.6'],
  ['gpt-5', 'gpt-5'],
  ['', ''],
])('%s is %s', (id, name) => {
  expect(modelName(id)).toBe(name)
})

test('a name is its own name', () => {
  for (const name of ['claude-opus-5-5', 'claude-3-5-haiku', 'claude-sonnet-4', 'glm-4.6']) {
    expect(modelName(modelName(name))).toBe(name)
  }
})
