import { fieldAt } from '../core/json.ts'

/** The exit code of a command that ran: 1 where nothing was found, or where it found problems. */
export function exitCode(name: string, result: Readonly<Record<string, unknown>>, isStrict: boolean): 0 | 1 {
  if (isStrict && lengthOf(result.warnings) > 0) return 1
  if (name === 'check') {
    const diagnostics = (result.diagnostics as readonly unknown[] | undefined) ?? []
    const isDamaged = diagnostics.some((diagnostic) => fieldAt(diagnostic, 'salvaged') === false)
    return isDamaged || (isStrict && lengthOf(result.drift) > 0) ? 1 : 0
  }
  if (name === 'archive') {
    const problems = (result.problems as readonly unknown[] | undefined) ?? []
    return problems.some((problem) => fieldAt(problem, 'repaired') !== true) ? 1 : 0
  }
  if (name === 'keep') return lengthOf(result.damage) > 0 ? 1 : 0
  if (name === 'doctor') return result.ok === false ? 1 : 0
  if (name === 'redact') return lengthOf(result.items) > 0 ? 1 : 0
  return result.total === 0 && name !== 'status' ? 1 : 0
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}
