/** Resolves with the exit code when the person, or the system, wants an end. A second Ctrl-C does not wait. */
export function untilStopped(): Promise<number> {
  // The program's own handler would leave connections and folders to the system.
  process.removeAllListeners('SIGINT')
  return new Promise((resolve) => {
    process.once('SIGINT', () => {
      process.once('SIGINT', () => process.exit(130))
      resolve(130)
    })
    process.once('SIGTERM', () => resolve(0))
    process.once('SIGHUP', () => resolve(0))
  })
}
