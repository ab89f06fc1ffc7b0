export function makeSkimWasm(): Promise<void>
export function skimWasm(): { name: string; buildStart: () => Promise<void> }
