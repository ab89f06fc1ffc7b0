import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { useState } from 'react'
import { useAbout } from './api.ts'
import { KeyHelp } from './key-help.tsx'
import { PAGES } from './pages.ts'
import { Palette } from './palette.tsx'
import { SearchBox } from './search/search-box.tsx'
import { IndexNote, LinkBar } from './status-bar.tsx'
import { chooseTheme, useIsDark } from './theme.ts'
import { Button } from './ui/button.tsx'
import { useKeys } from './ui/use-keys.ts'

/** What is around every page: the header, the palette, the help. */
export function Shell() {
  const [open, setOpen] = useState<'palette' | 'help' | null>(null)
  const fills = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.fill) })
  useKeys({ 'Ctrl-k': () => setOpen('palette'), '?': () => setOpen('help') })
  return (
    <div className={`flex flex-col ${fills ? 'h-dvh overflow-hidden' : 'min-h-dvh'}`}>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-surface focus:px-3 focus:py-1.5"
      >
        Skip to the content
      </a>
      <Header onHelp={() => setOpen('help')} onPalette={() => setOpen('palette')} />
      <LinkBar />
      <DemoBanner />
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        <Outlet />
      </main>
      <IndexNote />
      {open === 'palette' && <Palette onClose={() => setOpen(null)} />}
      {open === 'help' && <KeyHelp onClose={() => setOpen(null)} />}
    </div>
  )
}

function Header(props: { readonly onHelp: () => void; readonly onPalette: () => void }) {
  return (
    <header className="shrink-0 border-b border-line bg-surface">
      <div className="flex h-13 items-center gap-2 px-4 sm:gap-4 sm:px-6">
        <Link to="/" className="text-lg font-semibold tracking-tight">
          annals
        </Link>
        <SearchBox />
        <nav aria-label="Pages" className="ml-auto hidden items-center gap-1 lg:flex">
          {PAGES.map(({ to, name }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="rounded-md px-2 py-1 text-sm text-muted hover:bg-sunk hover:text-ink"
              activeProps={{ className: 'text-ink! font-medium' }}
            >
              {name}
            </Link>
          ))}
        </nav>
        <div className="ml-auto flex shrink-0 items-center lg:ml-0">
          <Button
            look="quiet"
            className="lg:hidden"
            onClick={props.onPalette}
            aria-label="Menu: pages, projects and sessions"
            title="Pages, projects and sessions (Ctrl-K)"
          >
            <span aria-hidden="true">☰</span>
          </Button>
          <ThemeToggle />
          <Button look="quiet" onClick={props.onHelp} aria-label="Keys" title="Keys (?)">
            <span aria-hidden="true">?</span>
          </Button>
        </div>
      </div>
    </header>
  )
}

function ThemeToggle() {
  const isDark = useIsDark()
  const label = isDark ? 'Use light colours' : 'Use dark colours'
  return (
    <Button look="quiet" aria-label={label} title={label} onClick={() => chooseTheme(isDark ? 'light' : 'dark')}>
      <span aria-hidden="true">◐</span>
    </Button>
  )
}

function DemoBanner() {
  const about = useAbout()
  if (!about?.isDemo) return null
  return (
    <p className="shrink-0 border-b border-line bg-warn-soft px-4 py-1.5 text-center text-sm text-warn">
      This is a made-up history, to show what annals does.
    </p>
  )
}
