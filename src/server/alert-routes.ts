import { type AlertRules, NO_ALERTS } from '../core/alerts.ts'
import { resultText } from '../core/json-text.ts'
import { Type } from '../core/schema.ts'
import { alertRulesOf, readAlertRules, writeAlertRules } from '../state/alert-rules.ts'
import type { Asking } from './query.ts'

/** Where the rules of notifications are asked for and set. */
export const ALERTS = '/api/notifications'

/** What the rules are set with. */
export const SET_ALERTS: Asking = {
  name: 'notifications',
  input: Type.Object({
    waits: Type.Optional(Type.Boolean('When a session waits for you')),
    ended: Type.Optional(Type.Boolean('When a session ended')),
    failed: Type.Optional(Type.Boolean('When a session ended in the middle of its work')),
    costUsd: Type.Optional(
      Type.Number({ minimum: 0, description: 'When a session costs more than this; never if not set' }),
    ),
  }),
}

/** The rules of notifications: of a person in their own state, of a demo until it ends. */
export function openAlertRules(dataDir: string | undefined): {
  readonly text: () => string
  readonly set: (input: Readonly<Record<string, unknown>>) => string
} {
  let held: AlertRules = NO_ALERTS
  const text = () =>
    resultText({ schema: 'annals/notifications/1', ...(dataDir === undefined ? held : readAlertRules(dataDir)) })
  return {
    text,
    set(input) {
      held = alertRulesOf(input)
      if (dataDir !== undefined) writeAlertRules(dataDir, held)
      return text()
    },
  }
}
