import { type Cluster, findPostgres, startCluster } from '../src/collector/sinks/postgres/cluster.ts'

const bin = findPostgres(process.env.PATH ?? '')

/** Whether PostgreSQL is here, and what the names of tests say where it is not. */
export const hasPostgres = bin !== undefined
export const withoutPostgres = hasPostgres ? '' : ' (skipped: PostgreSQL is not installed)'

/** A cluster of the test's own. */
export function testCluster(settings: Readonly<Record<string, string>> = {}): Cluster {
  if (bin === undefined) throw new Error('PostgreSQL is not installed.')
  return startCluster(bin, settings)
}

let databases = 0

/** A new, empty database of a cluster. */
export function newDatabase(cluster: Cluster): string {
  databases += 1
  const name = `annals_${process.pid}_${databases}`
  cluster.psql(`create database ${name}`)
  return name
}
