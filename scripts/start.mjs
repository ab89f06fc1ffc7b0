// The main job: the status and newest sessions of this user, or of a made-up root where there is no history.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../dist/cli.mjs', import.meta.url))
const named = (process.env.CLAUDE_CONFIG_DIR ?? '').split(delimiter).filter((path) => path !== '')
const roots = named.length > 0 ? named : [join(homedir(), '.claude'), join(homedir(), '.config', 'claude')]
const hasHistory = roots.some((root) => existsSync(join(root, 'projects')))

if (hasHistory) process.exit(annals(['status']))

const demo = mkdtempSync(join(tmpdir(), 'annals-demo-'))
try {
  const { writeDemoRoot } = await import('../dist/testing.mjs')
  writeDemoRoot(demo, new Date())
  console.log(`There is no Claude Code history in ${roots.join(' or ')}.`)
  console.log('This is a made-up one, to show what annals does:\n')
  // Nothing of a root that is gone in a moment is kept.
  const made = ['--root', demo, '--no-index']
  process.exitCode = annals(['status', ...made])
  console.log()
  process.exitCode ||= annals(['show', 'last', ...made, '--no-pager'])
} finally {
  rmSync(demo, { recursive: true, force: true })
}

function annals(args) {
  return spawnSync(process.execPath, [cli, ...args], { stdio: 'inherit' }).status ?? 2
}
