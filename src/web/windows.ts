/** The windows that any page can open: one part of the app, fetched when the first of them is. */
export { ActionsDialog } from './actions-dialog.tsx'
export { KeyHelp } from './key-help.tsx'
export { NotificationsDialog } from './notifications/notifications-dialog.tsx'
export { Notifier } from './notifications/notifier.tsx'
export { Palette } from './palette.tsx'
