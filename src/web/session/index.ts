export { ContextPage } from './context-page.tsx'
export { SessionFilesPage } from './files-page.tsx'
export { SessionPage } from './session-page.tsx'
export { TreePage } from './tree-page.tsx'
