import { sumCosts } from '../history/usage/spending.ts'
import type { ExportedSession, ExportFile, ExportJob } from './exporter.ts'
import { dotted, moment, money, plural } from './figures.ts'
import { pageEnd, pageStart } from './html-page.ts'
import { escapedLine } from './html-prose.ts'
import { cut, shownLine } from './shown-text.ts'

/** The page that leads to the pages of a folder. */
export function htmlIndex(sessions: readonly ExportedSession[], job: ExportJob): ExportFile {
  const rows = sessions.map(({ name, item }) => {
    const title = escapedLine(cut(shownLine(item.title ?? ''), 140)) || 'Session'
    const [day = '', time = ''] = moment(item.updatedAt).split(' ')
    const cells = [
      `<td class="when">${day}<span class="few"> ${time}</span></td>`,
      `<td><a href="${encodeURI(name)}">${title}</a></td>`,
      `<td class="where">${escapedLine(item.project.path ?? item.project.key)}</td>`,
      `<td class="number few">${item.counts?.prompts ?? ''}</td>`,
      `<td class="number">${money(item.costUsd)}</td>`,
    ]
    return `<tr>${cells.join('')}</tr>\n`
  })
  const head = ['Last', 'Session', 'Project', 'Prompts', 'Cost']
  const looks = ['', '', ' class="where"', ' class="number few"', ' class="number"']
  const names = head.map((name, at) => `<th scope="col"${looks[at]}>${name}</th>`).join('')
  const content = [
    pageStart('Sessions'),
    '<header>\n<h1>Sessions</h1>\n',
    facts([plural(sessions.length, 'session'), money(sumCosts(sessions.map(({ item }) => item)))]),
    `</header>\n<main>\n<table class="sessions">\n<thead><tr>${names}</tr></thead>\n<tbody>\n`,
    ...rows,
    '</tbody>\n</table>\n</main>\n',
    pageEnd(job.redactor !== undefined),
  ]
  return { name: 'index.html', content }
}

/** A line of what is known of something. */
export function facts(parts: readonly (string | null)[]): string {
  const line = dotted(parts)
  return line === '' ? '' : `<p class="facts">${escapedLine(line)}</p>\n`
}
