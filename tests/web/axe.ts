import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe finds on a page and calls serious or critical: a line each, with where it is. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger: the page's policy would forbid it as a script.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`))
}
