import { expect, test } from 'vitest'
import { isTestRun } from './test-runs.ts'

test.each([
  'npm test',
  'npm run test:unit -- --watch=false',
  'cd api && npx vitest run src/a.test.ts',
  'CI=1 pnpm test',
  'uv run pytest -q',
  'python3 -m pytest tests',
  'go test ./...',
  'cargo nextest run',
  'make -j4 test',
  'git stash; yarn test | tail -20',
  'npx playwright test',
])('%s runs tests', (command) => {
  expect(isTestRun(command)).toBe(true)
})

test.each([
  'npm install vitest',
  'cat test.txt',
  'echo "npm test"',
  'git commit -m "go test ./..."',
  'ls tests',
  'npm run testbed-start'.replace('testbed-start', 'start'),
  'grep -rn jest src',
  'makewhatis test',
])('%s runs none', (command) => {
  expect(isTestRun(command)).toBe(false)
})
