import { Component, type ComponentType, type ReactNode, useEffect, useState } from 'react'
import type { Address } from './addresses.ts'
import { FIRST_SCREEN, queryClient } from './api.ts'
import { Home } from './home/home.tsx'
import { NotFound } from './not-found.tsx'
import { currentPlace, usePlace } from './routing.tsx'
import { ErrorBox } from './ui/error-box.tsx'
import { Loading } from './ui/loading.tsx'

type Page = ComponentType

/** Fetches the part of the app that draws a page. */
type Load = () => Promise<Page>

const conversation = () => import('./session/index.ts')

/** The pages by their addresses. The first one comes with the app; the others when they are asked for. */
const PAGES: Readonly<Record<Exclude<Address, '/'>, Load>> = {
  '/search': async () => (await import('./search/search-page.tsx')).SearchPage,
  '/usage': async () => (await import('./usage/usage-page.tsx')).UsagePage,
  '/usage/receipt/$id': async () => (await import('./usage/receipt-page.tsx')).ReceiptPage,
  '/projects': async () => (await import('./projects-page.tsx')).ProjectsPage,
  '/prompts': async () => (await import('./prompts-page.tsx')).PromptsPage,
  '/plans': async () => (await import('./plans-page.tsx')).PlansPage,
  '/files': async () => (await import('./files-page.tsx')).FilesPage,
  '/todos': async () => (await import('./lists/todos-page.tsx')).TodosPage,
  '/memory': async () => (await import('./lists/memory-page.tsx')).MemoryPage,
  '/skills': async () => (await import('./lists/skills-page.tsx')).SkillsPage,
  '/agents': async () => (await import('./lists/agents-page.tsx')).AgentsPage,
  '/archive': async () => (await import('./lists/archive-page.tsx')).ArchivePage,
  '/secrets': async () => (await import('./lists/secrets-page.tsx')).SecretsPage,
  '/check': async () => (await import('./check-page.tsx')).CheckPage,
  '/s/$session': async () => (await conversation()).SessionPage,
  '/s/$session/tree': async () => (await import('./session/tree/tree-page.tsx')).TreePage,
  '/s/$session/context': async () => (await import('./session/context/context-page.tsx')).ContextPage,
  '/s/$session/timeline': async () => (await import('./session/timeline/timeline-page.tsx')).TimelinePage,
  '/s/$session/files': async () => (await import('./session/files/session-files-page.tsx')).SessionFilesPage,
}

/** Pages that fill the screen below the header and scroll in themselves. */
const FILLING: ReadonlySet<Address | undefined> = new Set(['/s/$session'] as const)

/** Whether the page one is on fills the screen. */
export function useFills(): boolean {
  return FILLING.has(usePlace().address)
}

const loaded = new Map<Address, Page>([['/', Home]])

async function load(address: Address): Promise<void> {
  if (address !== '/' && !loaded.has(address)) loaded.set(address, await PAGES[address]())
}

/**
 * Fetches what the page one came to is drawn with: its part of the app, and what it asks for first. The browser has most of
 * it at hand, and a page that is drawn with it is seen sooner than one that is drawn empty before. Never rejects.
 */
export async function prepare(): Promise<void> {
  const { address, params, search } = currentPlace()
  const isPlain = Object.keys(search).length === 0
  try {
    if (address === '/' && isPlain) await queryClient.prefetchQuery(FIRST_SCREEN)
    else if (address !== undefined) await load(address)
    const { session = '' } = params
    if (address === '/s/$session' && isPlain && !session.includes(':'))
      await (await conversation()).askFirstPage(queryClient, session)
  } catch {
    // The page says what it lacks.
  }
}

/** The page one is on, as soon as the part of the app that draws it is here. */
export function CurrentPage(): ReactNode {
  const { address, path } = usePlace()
  const [, setLoaded] = useState<Address | undefined>(undefined)
  const [failed, setFailed] = useState<Address | undefined>(undefined)
  useEffect(() => {
    setFailed(undefined)
    // Also where it has come since the page was drawn without it.
    if (address === undefined || address === '/') return
    load(address).then(
      () => setLoaded(address),
      () => setFailed(address),
    )
  }, [address])
  if (address === undefined) return <NotFound />
  const Page = loaded.get(address)
  // A browser does not load a part again that it could not load once, until the page itself is loaded anew.
  if (failed === address && !Page) return <Failed error={NOT_LOADED} onRetry={() => window.location.reload()} />
  if (!Page) return <Loading />
  return (
    <Caught key={path}>
      <Page />
    </Caught>
  )
}

const NOT_LOADED = new Error('This page could not be loaded.')

function Failed(props: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <div className="mx-auto w-full max-w-3xl px-4">
      <ErrorBox error={props.error} onRetry={props.onRetry} />
    </div>
  )
}

/** Where drawing fails, that is said in the place of the page, and it can be tried again. */
class Caught extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {}

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return <Failed error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
  }
}
