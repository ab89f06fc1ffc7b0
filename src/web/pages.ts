/** The pages that the header leads to, in the order they are shown. */
export const PAGES = [
  { to: '/', name: 'Sessions' },
  { to: '/usage', name: 'Usage' },
  { to: '/projects', name: 'Projects' },
  { to: '/prompts', name: 'Prompts' },
  { to: '/plans', name: 'Plans' },
  { to: '/files', name: 'Files' },
  { to: '/check', name: 'Check' },
] as const
