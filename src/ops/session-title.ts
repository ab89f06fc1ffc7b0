import type { LogDigest } from '../core/digest.ts'
import type { SummaryRow } from '../core/facts.ts'
import { isTitle, type Title, titleOf } from '../core/title.ts'
import type { ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'

type DigestOf = (entry: SourceEntry) => LogDigest | undefined

/**
 * Gives the titles of a project's sessions. A summary may stand in any of its logs: it is the title of the session that has the
 * row it names, unless that row was abandoned. The newest file's wins.
 */
export function projectTitles(
  library: Library,
  project: ProjectFiles,
  digestOf: DigestOf,
): (files: SessionFiles, digest: LogDigest) => Title {
  let summaries: readonly SummaryRow[] | undefined
  return (files, { facts, whole }) => {
    const own = titleOf(facts, library.sidecarTitle(files))
    if (!whole || own.from === 'custom' || own.from === 'ai') return own
    summaries ??= summariesIn(project, digestOf)
    const isNamed = ({ leafUuid }: SummaryRow) => whole.uuids.has(leafUuid) && !whole.abandonedUuids.has(leafUuid)
    const summary = summaries.find(isNamed)
    return summary ? { text: summary.text, from: 'summary' } : own
  }
}

function summariesIn({ sessions }: ProjectFiles, digestOf: DigestOf): readonly SummaryRow[] {
  const newestFirst = sessions.flatMap(({ log }) => log ?? []).sort((a, b) => b.modifiedAt - a.modifiedAt)
  return newestFirst
    .flatMap((log) => digestOf(log)?.facts.summaries.toReversed() ?? [])
    .filter(({ text }) => isTitle(text))
}

/** Gives the title of any session of a library, by the place of its log; each is looked up when it is asked for. */
export function libraryTitles(
  library: Library,
): (session: {
  readonly root: string
  readonly project: { readonly key: string }
  readonly id: string
}) => string | null {
  const ofProject = new Map<ProjectFiles, ReturnType<typeof projectTitles>>()
  return ({ root, project: { key }, id }) => {
    const project = library.projects().find((one) => one.root === root && one.key === key)
    const files = project?.sessions.find((one) => one.id === id)
    const digest = files?.log && library.digest(files.log)
    if (!project || !files || !digest) return null
    const titles = ofProject.get(project) ?? projectTitles(library, project, (log) => library.digest(log))
    ofProject.set(project, titles)
    return titles(files, digest).text
  }
}
