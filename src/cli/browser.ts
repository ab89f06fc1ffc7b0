import { spawn } from 'node:child_process'
import type { Environment } from './environment.ts'

/** The command that opens an address in the person's browser; `undefined` where there is no screen. */
export function browserCommand(
  url: string,
  platform: NodeJS.Platform,
  env: Environment,
): readonly [program: string, ...args: string[]] | undefined {
  if (platform === 'darwin') return ['open', url]
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open', url] : undefined
}

/** Opens the browser, if it can be: the address was printed anyway. No shell reads it. */
export function openBrowser(url: string): void {
  const command = browserCommand(url, process.platform, process.env)
  if (!command) return
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
