import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const cli = resolve(import.meta.dirname, '../../dist/cli.cjs')

/** What a command wrote to its terminal, standard output and error together, and its exit code. */
export interface TerminalRun {
  readonly code: number
  readonly text: string
}

/** Runs command lines one after the other in one terminal. Nobody sits there: their input is empty. */
export async function terminalRuns(
  argvs: readonly (readonly string[])[],
  { cwd, env, uid }: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly uid?: number },
): Promise<readonly TerminalRun[]> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-terminal-runs-'))
  const script = join(folder, 'commands.sh')
  const lines = argvs.map(
    (argv) => `${[process.execPath, cli, ...argv].map(quoted).join(' ')} </dev/null; printf '\\036%s\\037' $?`,
  )
  chmodSync(folder, 0o755)
  writeFileSync(script, `stty rows 30 cols 100\n${lines.join('\n')}\n`)
  try {
    const child = spawn('script', ['-qec', `sh ${quoted(script)}`, '/dev/null'], {
      cwd,
      ...(uid !== undefined && { uid, gid: uid }),
      env: { TERM: 'xterm-256color', TZ: 'UTC', LANG: 'C.UTF-8', SHELL: '/bin/sh', PAGER: 'cat', ...env },
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    await once(child, 'close')
    return output
      .split('\u001f')
      .slice(0, argvs.length)
      .map((run) => {
        const [text = '', code] = run.split('\u001e')
        return { code: Number(code), text: text.replaceAll('\r\n', '\n') }
      })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
