import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { listSessionEnvs } from './session-env.ts'

test('lists the folders and whether they are empty', () => {
  withFolder(
    { 'session-env/s1': null, 'session-env/s2/hook-1.sh': 'export TOKEN=x', 'session-env/file': '' },
    (root) => {
      expect(listSessionEnvs(root)).toEqual({
        items: [
          { session: 's1', isEmpty: true },
          { session: 's2', isEmpty: false },
        ],
        warnings: [],
      })
    },
  )
})

test.each([
  [{}, 0],
  [{ 'session-env': null }, 0],
  [{ 'session-env': 'x' }, 1],
])('lists nothing for %j', (files, warningCount) => {
  withFolder(files, (root) => {
    const { items, warnings } = listSessionEnvs(root)
    expect(items).toEqual([])
    expect(warnings).toHaveLength(warningCount)
  })
})
