import { localName, onCluster, type Place } from './schema.ts'
import { TABLES } from './tables.ts'

/** What has every table forget rows of so many days ago, by itself; without a number nothing is forgotten any more. */
export function retentionStatements(place: Place, days: number | undefined): readonly string[] {
  return TABLES.flatMap((table) => {
    if (table.age === undefined) return []
    const name = `${place.database}.${localName(table.name, place)}${onCluster(place)}`
    // Marks stay: a log that is still on a machine is not sent anew because the store forgot it.
    return days === undefined
      ? [`alter table ${name} remove ttl`]
      : [`alter table ${name} modify ttl ${table.age} + toIntervalDay(${days})`]
  })
}
