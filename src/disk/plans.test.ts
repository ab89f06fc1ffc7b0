import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from './made-folder.ts'
import { readPlans } from './plans.ts'

test('reads a plan by its slug', () => {
  withFolder({ 'plans/proud-jumping-biscuit.md': 'Intro\n\n# The plan #\n\nDo it.\n' }, (root) => {
    const { items, warnings } = readPlans(root)
    expect(items).toMatchObject([
      {
        slug: 'proud-jumping-biscuit',
        file: join(root, 'plans', 'proud-jumping-biscuit.md'),
        title: 'The plan',
        text: 'Intro\n\n# The plan #\n\nDo it.\n',
        sizeBytes: 28,
      },
    ])
    expect(warnings).toEqual([])
  })
})

test.each([
  ['', null],
  ['\n \n', null],
  ['\n  just a line \nmore', 'just a line'],
  ['## Second level\r\ntext', 'Second level'],
  ['```sh\n# not a heading\n```\n# Heading', 'Heading'],
  ['#hashtag', '#hashtag'],
])('the title of %j is %j', (text, title) => {
  withFolder({ 'plans/a.md': text }, (root) => {
    expect(readPlans(root).items[0]?.title).toBe(title)
  })
})

test.each([
  [{}, 0],
  [{ plans: null }, 0],
  [{ plans: 'a file' }, 1],
  [{ 'plans/folder.md': null, 'plans/other.txt': 'x' }, 1],
])('finds no plan in %j', (files, warningCount) => {
  withFolder(files, (root) => {
    const { items, warnings } = readPlans(root)
    expect(items).toEqual([])
    expect(warnings).toHaveLength(warningCount)
  })
})
