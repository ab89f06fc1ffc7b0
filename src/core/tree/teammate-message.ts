/** Word from a teammate or a channel, as the client hands it to the model. */
export interface TeammateMessage {
  readonly from: string
  readonly text: string
}

/** Reads the messages of a prompt that others than a person wrote; none where it is something else. */
export function teammateMessages(text: string): readonly TeammateMessage[] {
  return [...text.matchAll(MESSAGE)].map(([, tag = '', attributes = '', body = '']) => ({
    from: /\b(?:teammate_id|from|source|name)="([^"]*)"/.exec(attributes)?.[1] || tag.replace('-message', ''),
    text: body.trim(),
  }))
}

const MESSAGE = /<(teammate-message|channel)((?:\s[^<>]*)?)>([\s\S]*?)(?:<\/\1>|$)/g
