import type { ToolMeaning } from '../../core/tools/tool-meaning.ts'
import { type ToolWords, toolWords } from '../../core/tools/tool-words.ts'

/** No screen is so wide that more of a line is seen. */
const LONGEST = 400

/** A tool call in a few words, on one line. */
export function callWords(name: string, meaning: ToolMeaning, folder: string | null): ToolWords {
  const words = toolWords(name, meaning, (path) => pathFrom(folder, path))
  const [first = '', ...more] = words.what.trim().split('\n')
  const what = first.length > LONGEST || more.length > 0 ? `${first.slice(0, LONGEST)} …` : first
  return { ...words, label: words.label.slice(0, LONGEST), what }
}

/** A path as seen from the folder of the session, which is `.` itself. */
export function pathFrom(folder: string | null, path: string): string {
  const base = folder?.replace(/\/$/, '')
  if (path === base) return '.'
  return base && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path
}
