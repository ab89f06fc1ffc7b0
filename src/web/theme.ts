import { useSyncExternalStore } from 'react'

/** Light, dark, or what the system says. */
export type Theme = 'light' | 'dark' | 'system'

const KEY = 'annals-theme'

/** What the person chose, here, before. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    // A browser may forbid storage; then the system decides.
    return 'system'
  }
}

/** Shows the page in a theme. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

const listeners = new Set<() => void>()

/** Chooses a theme and remembers it. */
export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // It holds until the page is left.
  }
  applyTheme(theme)
  for (const listener of listeners) listener()
}

const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)')

/** Whether the page is dark now; told again when that changes. */
export function useIsDark(): boolean {
  return useSyncExternalStore(listen, isDark)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  systemIsDark.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    systemIsDark.removeEventListener('change', listener)
  }
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme
  return chosen === undefined ? systemIsDark.matches : chosen === 'dark'
}
