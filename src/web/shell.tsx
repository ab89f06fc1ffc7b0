import { useState } from 'react'
import { useAbout } from './api.ts'
import { PAGES } from './pages.ts'
import { CurrentPage, useFills } from './router.tsx'
import { Link, TabLink } from './routing.tsx'
import { SearchBox } from './search/search-box.tsx'
import { IndexNote, LinkBar } from './status-bar.tsx'
import { chooseTheme, useIsDark } from './theme.ts'
import { Button } from './ui/button.tsx'
import { Later } from './ui/later.tsx'
import { ToastArea } from './ui/toast.tsx'
import { useKeys } from './ui/use-keys.ts'
import { whenUsed } from './when-used.tsx'

const Palette = whenUsed(async () => (await import('./windows.ts')).Palette)
const KeyHelp = whenUsed(async () => (await import('./windows.ts')).KeyHelp)
const Notifications = whenUsed(async () => (await import('./windows.ts')).NotificationsDialog)
const Notifier = whenUsed(async () => (await import('./windows.ts')).Notifier)

type Window = 'palette' | 'help' | 'notifications'

/** What is around every page: the header, the bars, the windows that any page can open. */
export function Shell() {
  const [open, setOpen] = useState<Window | null>(null)
  const fills = useFills()
  const close = () => setOpen(null)
  useKeys({
    'Ctrl-k': () => setOpen('palette'),
    '?': () => setOpen('help'),
    // A window that is open closes by itself; this is for one that is still being fetched.
    Escape: () => (open === null ? false : close()),
  })
  return (
    <div className={`flex flex-col ${fills ? 'h-dvh overflow-hidden' : 'min-h-dvh'}`}>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-surface focus:px-3 focus:py-1.5"
      >
        Skip to the content
      </a>
      <Header onOpen={setOpen} />
      <LinkBar />
      <DemoBanner />
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        <CurrentPage />
      </main>
      <IndexNote />
      <ToastArea />
      <Later ms={LATE_MS}>
        <Notifier />
      </Later>
      {open === 'palette' && <Palette onClose={close} onHelp={() => setOpen('help')} />}
      {open === 'help' && <KeyHelp onClose={close} />}
      {open === 'notifications' && <Notifications onClose={close} />}
    </div>
  )
}

/** Notifications come after the first rows. */
const LATE_MS = 1500

function Header(props: { readonly onOpen: (window: Window) => void }) {
  return (
    <header className="shrink-0 border-b border-line bg-surface">
      <div className="flex h-13 items-center gap-2 px-4 sm:gap-4 sm:px-6">
        <Link to="/" className="text-lg font-semibold tracking-tight">
          annals
        </Link>
        <SearchBox />
        <nav aria-label="Pages" className="ml-auto hidden items-center gap-1 lg:flex">
          {PAGES.map(({ to, name }) => (
            <TabLink
              key={to}
              to={to}
              isExact={to === '/'}
              className="rounded-md px-2 py-1 text-sm text-muted hover:bg-sunk hover:text-ink"
              activeClass="text-ink! font-medium"
            >
              {name}
            </TabLink>
          ))}
          <Button
            look="quiet"
            onClick={() => props.onOpen('palette')}
            title="More pages, and all that can be done (Ctrl-K)"
          >
            More
          </Button>
        </nav>
        <div className="ml-auto flex shrink-0 items-center lg:ml-0">
          <Button
            look="quiet"
            className="lg:hidden"
            onClick={() => props.onOpen('palette')}
            aria-label="Menu: pages, projects and sessions"
            title="Pages, projects and sessions (Ctrl-K)"
          >
            <span aria-hidden="true">☰</span>
          </Button>
          <Button
            look="quiet"
            onClick={() => props.onOpen('notifications')}
            aria-label="Notifications"
            title="Notifications"
          >
            <Bell />
          </Button>
          <ThemeToggle />
          <Button look="quiet" onClick={() => props.onOpen('help')} aria-label="Keys" title="Keys (?)">
            <span aria-hidden="true">?</span>
          </Button>
        </div>
      </div>
    </header>
  )
}

function Bell() {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" className="size-4" fill="none" stroke="currentColor" strokeWidth="1.4">
      <path d="M8 2a4 4 0 0 0-4 4v3l-1.2 2.2h10.4L12 9V6a4 4 0 0 0-4-4Z" strokeLinejoin="round" />
      <path d="M6.6 13.2a1.5 1.5 0 0 0 2.8 0" strokeLinecap="round" />
    </svg>
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
