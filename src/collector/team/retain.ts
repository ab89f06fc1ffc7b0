import { Failure } from '../../core/failure.ts'
import type { Transaction } from '../sinks/postgres/connect.ts'

/** What a retention deletes of one person, of the records of one month. */
export interface Expiring {
  /** `null` for records without a time: they go with their session. */
  readonly month: string | null
  readonly person: string | null
  readonly sessions: number
  readonly records: number
}

/** What was done, or would be. */
export interface Retained {
  readonly message: string
  readonly expiring: readonly Expiring[]
}

/**
 * Says how long the store keeps what it has, and deletes what is older. Collectors do so from then on. Without `isMeant` it only
 * tells what would go, and changes nothing.
 */
export async function retain(tx: Transaction, asked: string | undefined, isMeant: boolean): Promise<Retained> {
  if (asked === undefined) throw new Failure('USAGE', 'annals team retain needs a number of days like 90d, or `off`.')
  if (asked === 'off') {
    await tx`delete from annals.setting where name = 'retain_days'`
    return { message: 'Everything is kept.', expiring: [] }
  }
  const days = /^([1-9]\d{0,4})d?$/.exec(asked)?.[1]
  if (days === undefined) throw new Failure('USAGE', `"${asked}" is no number of days.`, { hint: 'Write 90d, or off.' })
  const rows = await tx`select month::text, person, sessions, records
    from annals.expiring(now() - make_interval(days => ${Number(days)}::int))`
  const expiring = rows.map((row) => ({
    month: row.month === null ? null : String(row.month).slice(0, 7),
    person: row.person === null ? null : String(row.person),
    sessions: Number(row.sessions),
    records: Number(row.records),
  }))
  const kept = `A session is kept for ${days} days after its last record`
  if (!isMeant) {
    const records = expiring.reduce((sum, one) => sum + one.records, 0)
    const older = records === 1 ? '1 record is' : `${records} records are`
    const message = `${kept}, if you add --yes: ${older} older and would be deleted, with all that was made of them. Nothing was changed.`
    return { message, expiring }
  }
  await tx`insert into annals.setting (name, value) values ('retain_days', ${days})
    on conflict (name) do update set value = excluded.value`
  const [swept] = await tx`select annals.sweep() as rows`
  return { message: `${kept}; ${swept?.rows} rows were older and are gone.`, expiring }
}
