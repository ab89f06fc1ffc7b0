// A vitest reporter: says which tests were skipped, and ends with the plain line `N passed, N failed`.
export default class ClosingLine {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const skipped = new Set()
    for (const module of modules) {
      if (module.state() === 'failed' && module.children.size === 0) counts.failed += 1
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        counts[state === 'pending' ? 'skipped' : state] += 1
        // Where a whole suite is skipped, its name says why, once for all its tests.
        const isSuite = test.parent.type === 'suite' && test.parent.fullName.includes('(skipped')
        if (state === 'skipped') skipped.add(isSuite ? test.parent.fullName : test.fullName)
      }
    }
    for (const name of skipped) console.log(`skipped: ${name}`)
    counts.failed += errors.length
    if (counts.skipped > 0) console.log(`${counts.skipped} skipped`)
    console.log(`${counts.passed} passed, ${counts.failed} failed`)
  }
}
