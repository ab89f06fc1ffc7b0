import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOf, withFolder } from '../../tests/support/made-folder.ts'
import { readPlans } from './plans.ts'

test('reads a plan by its slug', () => {
  withFolder({ 'plans/proud-jumping-biscuit.md': 'Intro\n\n# The plan #\n\nDo it.\n' }, (root) => {
    const { items, warnings } = readPlans(filesOf(root))
    expect(items).toMatchObject([
      {
        slug: 'proud-jumping-biscuit',
        file: join(root, 'plans', 'proud-jumping-biscuit.md'),
        title: 'The plan',
        text: 'Intro\n\n# The plan #\n\nDo it.\n',
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
    expect(readPlans(filesOf(root)).items[0]?.title).toBe(title)
  })
})

test.each([
  [{}],
  [{ plans: null }],
  [{ plans: 'a file' }],
  [{ 'plans/folder.md': null, 'plans/other.txt': 'x', 'plans/folder/deep.md': 'x' }],
])('finds no plan in %j', (files) => {
  withFolder(files, (root) => {
    expect(readPlans(filesOf(root))).toEqual({ items: [], warnings: [] })
  })
})
