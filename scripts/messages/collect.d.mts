/** A sentence of the sources, and where it stands. */
export interface Message {
  readonly file: string
  readonly line: number
  readonly text: string
}

export function messagesIn(folder: string): readonly Message[]
