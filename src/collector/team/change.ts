import { Failure } from '../../core/failure.ts'
import { nearest } from '../../core/nearest.ts'
import type { Context } from '../../history/context.ts'
import { HASHED, namesOf } from '../names.ts'
import { readCollectSettings } from '../settings.ts'
import type { Transaction } from '../sinks/postgres/connect.ts'

/** What an administrator says of a team store. */
export type TeamChange = 'grant' | 'revoke' | 'member' | 'collector' | 'set'

const NEEDS: Readonly<Record<TeamChange, readonly [number, string]>> = {
  grant: [2, 'a role and a project'],
  revoke: [2, 'a role and a project'],
  member: [1, 'a person, and perhaps a team and a role'],
  collector: [1, 'a role, and perhaps the person it speaks for'],
  set: [2, 'a name and a value'],
}

const SETTINGS = ['minimum_group']

/** Changes who sees what, who speaks for whom, or a setting. Names that the store does not know are refused. */
export async function changeTeam(
  context: Context,
  tx: Transaction,
  action: TeamChange,
  names: readonly string[],
): Promise<string> {
  const [least, needs] = NEEDS[action]
  const [first = '', second, third] = names
  if (names.length < least) {
    throw new Failure('USAGE', `annals team ${action} needs ${needs}.`, {
      hint: 'A project is its path, or * for all.',
    })
  }
  if (action === 'set') return await set(tx, first, second ?? '')
  if (action === 'member') {
    const person = await whichPerson(context, tx, first)
    const role = third === undefined ? null : await roleOf(tx, third)
    await tx`insert into annals.person (person, team, role) values (${person}, ${second ?? null}, ${role})
      on conflict (person) do update set team = excluded.team, role = excluded.role`
    return `${first} is ${second === undefined ? 'in no team' : `in ${second}`}${role ? ` and logs in as ${role}` : ''}.`
  }
  const role = await roleOf(tx, first)
  if (action === 'collector') return await bind(tx, role, second)
  const known = action === 'grant' ? await projectsIn(tx) : await grantedTo(tx, role)
  const project = second === '*' ? '*' : oneOf('project', projectNames(context, second ?? ''), known)
  const shown = project === '*' ? 'every project' : second
  if (action === 'grant') {
    await tx`insert into annals.granted (role, project) values (${role}, ${project}) on conflict do nothing`
    return `${role} sees ${shown}.`
  }
  await tx`delete from annals.granted where role = ${role} and project = ${project}`
  return `${role} no longer sees ${shown}.`
}

async function set(tx: Transaction, asked: string, value: string): Promise<string> {
  const name = oneOf('setting', [asked], SETTINGS)
  if (!/^[1-9][0-9]{0,5}$/.test(value)) throw new Failure('USAGE', `${name} is a number of people, 1 or more.`)
  await tx`insert into annals.setting (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`
  return `${name} is ${value}.`
}

async function bind(tx: Transaction, role: string, person: string | undefined): Promise<string> {
  if (person === undefined) {
    await tx`delete from annals.login where role = ${role}`
    return `${role} speaks for whom it names next.`
  }
  await tx`insert into annals.login (role, person) values (${role}, ${person})
    on conflict (role) do update set person = excluded.person`
  return `${role} speaks for ${person}.`
}

/** The first of some spellings that is known; a sentence with what is nearest where none is. */
function oneOf(what: string, spellings: readonly (string | undefined)[], known: readonly string[]): string {
  const found = spellings.find((one) => one !== undefined && known.includes(one))
  if (found !== undefined) return found
  const asked = spellings[0] ?? ''
  const near = nearest(asked, known)
  const isHashed = known.some((one) => one.startsWith(HASHED))
  throw new Failure(
    'BAD_INPUT',
    `This team store knows no ${what} "${asked}".${near ? ` Did you mean "${near}"?` : ''}`,
    {
      hint: isHashed && near === undefined ? HASHED_HINT : HINTS[what as keyof typeof HINTS],
    },
  )
}

const HASHED_HINT =
  'Names arrive here hashed: put the "hashKey" of the team into collect.json on this machine too, or give the hash itself.'
const HINTS = {
  person: 'A person is known once a machine of theirs has delivered; `annals team` lists them.',
  project: 'A project is known once something of it was delivered: its path as it was sent, or * for all.',
  role: 'Make it first: create role NAME login in role annals_reader.',
  setting: `There is ${SETTINGS.join(', ')}.`,
}

async function roleOf(tx: Transaction, asked: string): Promise<string> {
  const rows = await tx`select rolname as name from pg_catalog.pg_roles where rolname !~ '^pg_'`
  return oneOf('role', [asked], textsOf(rows))
}

/** A person as the store knows them; a sentence where it does not. */
export async function whichPerson(context: Context, tx: Transaction, asked: string): Promise<string> {
  return oneOf('person', [asked, hashOf(context, 'user', asked)], await personsIn(tx))
}

async function personsIn(tx: Transaction): Promise<readonly string[]> {
  return textsOf(
    await tx`select person as name from annals.machine where person is not null union
    select person from annals.session where person is not null`,
  )
}

async function projectsIn(tx: Transaction): Promise<readonly string[]> {
  return textsOf(await tx`select distinct project as name from annals.session where project <> ''`)
}

async function grantedTo(tx: Transaction, role: string): Promise<readonly string[]> {
  return textsOf(await tx`select project as name from annals.granted where role = ${role}`)
}

function textsOf(rows: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return rows.map(({ name }) => String(name))
}

/** A path as it may have arrived: as it is, or hashed with the key of the team, wherever the home of its person is. */
function projectNames(context: Context, path: string): readonly (string | undefined)[] {
  const moved = path.replace(/^(\/home\/[^/]+|\/Users\/[^/]+|[A-Za-z]:\\Users\\[^\\]+)(?=[/\\]|$)/, context.home)
  return [path, hashOf(context, 'path', path), hashOf(context, 'path', moved)]
}

function hashOf({ configDir, home }: Context, kind: 'path' | 'user', text: string): string | undefined {
  const { hashKey } = readCollectSettings(configDir)
  if (hashKey === undefined) return undefined
  const key = Buffer.from(hashKey)
  return namesOf({ paths: 'hashed', user: 'hashed', key, teamKey: key, home })[kind](text) ?? undefined
}
