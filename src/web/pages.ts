/** The pages that the header leads to, in the order they are shown. */
export const PAGES = [
  { to: '/', name: 'Sessions' },
  { to: '/usage', name: 'Usage' },
  { to: '/projects', name: 'Projects' },
  { to: '/prompts', name: 'Prompts' },
  { to: '/files', name: 'Files' },
] as const

/** The pages behind “More”. */
export const MORE_PAGES = [
  { to: '/plans', name: 'Plans' },
  { to: '/todos', name: 'Todos' },
  { to: '/agents', name: 'Agents' },
  { to: '/memory', name: 'Memory' },
  { to: '/skills', name: 'Skills' },
  { to: '/archive', name: 'Archive' },
  { to: '/secrets', name: 'Secrets' },
  { to: '/check', name: 'Check' },
] as const
