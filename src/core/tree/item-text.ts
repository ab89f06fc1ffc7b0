import type { BashItem, CommandItem, NotificationItem } from './item-schema.ts'

/** What a person typed to run a command. */
export function typedText(item: CommandItem | BashItem): string {
  return item.kind === 'bash' ? item.input : `${item.name} ${item.args}`.trim()
}

/** A notification with its status, where its words do not say it anyway. */
export function notificationText({ text, status }: NotificationItem): string {
  const isSaid = status === null || status === 'completed' || text.includes(status)
  return isSaid ? text : `${text} · ${status}`
}
