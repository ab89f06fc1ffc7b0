import { spawn } from 'node:child_process'
import { aloneOnInterrupt } from './read.ts'

/** Runs `annals serve` for a session, with the flags that the picker has; resolves when it was stopped. */
export function runServeFor(file: string, flags: readonly string[]): Promise<void> {
  const [program = ''] = process.argv.slice(1)
  const wanted = flags.filter((flag) => flag !== '--color' && flag !== '--no-color')
  return aloneOnInterrupt(
    () =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [program, 'serve', file, ...wanted], { stdio: 'inherit' })
        child.on('error', reject)
        child.on('close', () => resolve())
      }),
  )
}
