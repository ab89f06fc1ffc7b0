export { SessionPage } from './session-page.tsx'
export { askFirstPage } from './use-rows.ts'
