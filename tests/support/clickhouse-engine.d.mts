export const CHDB: string
export function installedChdb(log?: (line: string) => void): string
export function openDoor(folder: string): Promise<{ readonly url: string; close(): Promise<void> }>
