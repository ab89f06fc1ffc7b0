const DAY_MS = 86_400_000
const SHOP = '/home/ana/code/shop'

/** Made when it is needed, so that no scanner takes this file for a leak. */
export const SECRET = ['ghp', 'Zk3v9QpL2mT7xRb4Wn8cYd1FhJ6sGa5EuVoK'].join('_')
export const FILE_BEFORE = 'export const batch = 10\n'
const FILE_AFTER = 'export const batch = 500\n'

/** Writes the history of a made-up developer who has worked yesterday and works now, in the process of this id. */
export function writeFirstDayRoot({ log, root, writeDemoRoot }, dir, now, pid) {
  writeDemoRoot(dir, now)
  const yesterday = `${dayOf(now.getTime() - DAY_MS)}T10:00:00.000Z`
  const midnight = Date.parse(`${dayOf(now.getTime())}T00:00:00.000Z`)
  const today = new Date(Math.max(midnight, now.getTime() - 60_000)).toISOString()
  const rotate = log({ cwd: SHOP, seed: 'rotate', startedAt: yesterday })
    .user(`Rotate the deploy key, the old one is ${SECRET}`)
    .assistant('I have written down how to rotate it.')
    .title('Rotate the deploy key')
  const speed = log({ cwd: SHOP, seed: 'speed', startedAt: today })
    .user('The import of the catalogue takes an hour. Make it faster.')
    .tool('Read', { file_path: `${SHOP}/import.ts` }, { output: FILE_BEFORE })
    .edit(`${SHOP}/import.ts`, { before: FILE_BEFORE, after: FILE_AFTER })
    .tool('Bash', { command: 'npm test' }, { output: 'Error: 1 test failed', isError: true })
    .assistant('It imports in larger batches now; one test still fails.')
    .title('Speed up the import')
  root()
    .add(rotate, speed)
    .live({ pid, sessionId: speed.sessionId, cwd: SHOP, startedAt: now.toISOString() })
    .write(dir)
}

/** The tasks, for someone whose root is `root`. */
export function firstDayTasks(root, now) {
  const yesterday = dayOf(now.getTime() - DAY_MS)
  const at = `--root ${root}`
  return [
    {
      wants: 'where did I read that tokens were revoked?',
      steps: [{ types: `search issuer revoked ${at}`, takes: /\b([0-9a-f]{8})\b/ }, { types: `show $1 ${at}` }],
      mostCommands: 2,
      shows: [/the issuer revoked the first/],
    },
    {
      wants: 'what did yesterday cost, and why?',
      steps: [{ types: `usage --since yesterday --until yesterday ${at}` }, { types: `receipt ${yesterday} ${at}` }],
      mostCommands: 2,
      shows: [/Mon|Tue|Wed|Thu|Fri|Sat|Sun/, /\$0\.0[01]/, /Rotate the deploy key|opus/],
    },
    {
      wants: 'go on with the session about the token race',
      steps: [{ types: `resume token race --print ${at}` }],
      mostCommands: 1,
      shows: [/claude --resume c86923d0-/],
    },
    {
      wants: 'what did the agent change in import.ts, and why?',
      steps: [{ types: `files ${SHOP}/import.ts --at 0 --diff end ${at}` }, { types: `blame ${SHOP}/import.ts ${at}` }],
      mostCommands: 2,
      shows: [/The import of the catalogue/, /- ?export const batch = 10/, /\+ ?export const batch = 500/],
    },
    {
      wants: 'keep everything, and be sure of it',
      steps: [{ types: `keep ${at}` }, { types: `keep verify ${at}` }],
      mostCommands: 2,
      shows: [/Kept 17 sessions/, /17 sessions/],
    },
    {
      wants: 'hand a session to a colleague, without the secret in it',
      steps: [{ types: `export "Rotate the deploy key" --to html --out rotate.html ${at}` }],
      mostCommands: 1,
      shows: [/secrets? masked/],
      file: { name: 'rotate.html', holds: 'Rotate the deploy key', holdsNot: SECRET },
    },
    {
      wants: 'which sessions failed?',
      steps: [{ types: `sessions --has error ${at}` }],
      mostCommands: 1,
      shows: [/Speed up the import/, /Update all dependencies/],
    },
    {
      wants: 'what is running now?',
      steps: [{ types: `status ${at}` }],
      mostCommands: 1,
      shows: [/●.*Speed up the import|Speed up the import.*live/],
    },
    {
      wants: 'get import.ts back as it was',
      steps: [{ types: `files ${SHOP}/import.ts --at 0 --out import.old.ts ${at}` }],
      mostCommands: 1,
      shows: [/import\.old\.ts/],
      file: { name: 'import.old.ts', holds: FILE_BEFORE },
    },
    {
      wants: 'how much has each project cost?',
      steps: [{ types: `usage --by project --since 60d ${at}` }],
      mostCommands: 1,
      shows: [/api.*\$\d/, /garden-web.*\$\d/, /shop.*\$\d/],
    },
    {
      wants: 'find the secrets in my history, and be rid of them',
      steps: [
        { types: `redact scan ${at}`, takes: /\b([0-9a-f]{8})\b/ },
        { types: `purge $1 --source --yes ${at}` },
        { types: `redact scan ${at}` },
      ],
      mostCommands: 3,
      shows: [/No secret was found/],
    },
    {
      wants: 'what did I do today?',
      steps: [{ types: `today ${at}` }],
      mostCommands: 1,
      shows: [/Speed up the import/],
    },
  ]
}

/** The words of a command line; quotes group. */
export function wordsOf(types) {
  return types.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', ''))
}

function dayOf(ms) {
  return new Date(ms).toISOString().slice(0, 10)
}
