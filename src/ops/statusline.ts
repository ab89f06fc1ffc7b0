import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import { openCalendar, periodStart } from '../core/usage/calendar.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Context } from '../history/context.ts'
import { keyOfFiles } from '../history/families.ts'
import { findSession } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { infoOf } from '../history/info.ts'
import { NullableString, nullable, timezoneInput } from '../history/shapes.ts'
import { readUsage } from '../history/usage.ts'
import { sumBilled } from '../history/usage-price.ts'
import { SumShape } from '../history/usage-rows.ts'
import { defineOp } from './op.ts'

export const statusline = defineOp({
  name: 'statusline',
  effort: 'instant',
  summary: "One line for a status bar: today's cost and tokens, and the current session's.",
  examples: ['annals statusline', 'annals statusline --hook < hook.json', 'annals statusline --timezone Europe/Berlin'],
  input: Type.Object({ ...timezoneInput }),
  positional: [],
  result: Type.Object({
    timezone: Type.String(),
    today: SumShape,
    session: nullable(Type.Object({ id: Type.String(), title: NullableString, ...SumShape.properties })),
  }),
  async run(context, input) {
    const calendar = openCalendar(input.timezone, context.localZone)
    if (context.library.missing) return { timezone: calendar.timezone, today: sumBilled([]), session: null }
    const current = currentSession(context)
    const today = calendar.day(context.now.toISOString())
    const since = periodStart(today, context.now)
    const history = historyOf(context)
    const { calls } = await readUsage(history, { since, session: current?.id })
    const own = current && sumBilled(calls.filter((one) => one.session.id === current.id))
    const title = (current && infoOf(history, keyOfFiles(current))?.title) ?? null
    return {
      // Asked for by programs alone, and it takes longer to tell than the rest.
      get timezone() {
        return calendar.timezone
      },
      today: sumBilled(calls.filter((one) => calendar.day(one.at) === today)),
      session: current && own ? { id: current.id, title, ...own } : null,
    }
  },
})

/** The session that is running here; else the one that was written last. */
function currentSession(context: Context): SessionFiles | undefined {
  try {
    const { files } = findSession(context, 'current')
    const { library } = context
    return library.sessions().find((session) => session.log?.path === files.log?.path)
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure
    return context.library.sessions().toSorted((a, b) => (b.log?.modifiedAt ?? 0) - (a.log?.modifiedAt ?? 0))[0]
  }
}
