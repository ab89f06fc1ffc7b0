import { join } from 'node:path'
import { type AlertRules, NO_ALERTS } from '../core/alerts.ts'
import { booleanAt, numberAt, parseJson } from '../core/json.ts'
import { asFailure, makePrivateFolder, readWhole, writePrivateFile } from './private-file.ts'

/** What a person wants to be told of. What cannot be read is nothing. */
export function readAlertRules(dataDir: string | undefined): AlertRules {
  return alertRulesOf(parseJson(textOf(dataDir)))
}

/** Rules as somebody wrote them; what is none of them is left out. */
export function alertRulesOf(value: unknown): AlertRules {
  const given = value as Parameters<typeof booleanAt>[0]
  const cost = numberAt(given, 'costUsd')
  return {
    waits: booleanAt(given, 'waits') ?? NO_ALERTS.waits,
    ended: booleanAt(given, 'ended') ?? NO_ALERTS.ended,
    failed: booleanAt(given, 'failed') ?? NO_ALERTS.failed,
    costUsd: cost !== undefined && cost >= 0 ? cost : null,
  }
}

/** Writes down what a person wants to be told of. */
export function writeAlertRules(dataDir: string, rules: AlertRules): void {
  try {
    makePrivateFolder(dataDir)
    writePrivateFile(pathIn(dataDir), Buffer.from(`${JSON.stringify({ version: 1, ...rules }, null, 2)}\n`))
  } catch (error) {
    throw asFailure(error, pathIn(dataDir), 'The file of notification rules')
  }
}

function textOf(dataDir: string | undefined): string {
  if (dataDir === undefined) return ''
  try {
    return readWhole(pathIn(dataDir))?.toString('utf8') ?? ''
  } catch {
    return ''
  }
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'notifications.json')
}
