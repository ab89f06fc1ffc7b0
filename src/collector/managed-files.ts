import { posix, win32 } from 'node:path'

/** Where whoever manages a machine puts the settings that hold for everybody on it. */
export function managedSettingsFile(platform: NodeJS.Platform, programData: string | undefined): string {
  if (platform === 'win32') return win32.join(programData || 'C:\\ProgramData', 'annals', 'collect.json')
  const folder = platform === 'darwin' ? '/Library/Application Support' : '/etc'
  return posix.join(folder, 'annals', 'collect.json')
}
