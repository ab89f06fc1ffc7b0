import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Home } from './home/home.tsx'
import { NotFound } from './not-found.tsx'
import { FILTERS } from './search/filter-names.ts'
import { parseSearch, pick, stringifySearch } from './search-params.ts'
import { Shell } from './shell.tsx'
import { ErrorBox } from './ui/error-box.tsx'
import { Loading } from './ui/loading.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

// The first page comes with the app; the others when they are asked for.
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: pick('project', 'q', 'since', 'all', 'trivial'),
  component: Home,
})

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: pick('q', ...FILTERS, 'sort'),
  component: lazyRouteComponent(() => import('./search/search-page.tsx'), 'SearchPage'),
})

const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: pick('by', 'since', 'project', 'show', 'of', 'at'),
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
})

const receipt = createRoute({
  getParentRoute: () => root,
  path: '/usage/receipt/$id',
  component: lazyRouteComponent(() => import('./usage/receipt-page.tsx'), 'ReceiptPage'),
})

const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: lazyRouteComponent(() => import('./projects-page.tsx'), 'ProjectsPage'),
})

const prompts = createRoute({
  getParentRoute: () => root,
  path: '/prompts',
  validateSearch: pick('q', 'project'),
  component: lazyRouteComponent(() => import('./prompts-page.tsx'), 'PromptsPage'),
})

const plans = createRoute({
  getParentRoute: () => root,
  path: '/plans',
  validateSearch: pick('session', 'project', 'plan'),
  component: lazyRouteComponent(() => import('./plans-page.tsx'), 'PlansPage'),
})

const files = createRoute({
  getParentRoute: () => root,
  path: '/files',
  validateSearch: pick('path', 'project', 'reads', 'open'),
  component: lazyRouteComponent(() => import('./files-page.tsx'), 'FilesPage'),
})

const check = createRoute({
  getParentRoute: () => root,
  path: '/check',
  component: lazyRouteComponent(() => import('./check-page.tsx'), 'CheckPage'),
})

const session = createRoute({
  getParentRoute: () => root,
  path: '/s/$session',
  validateSearch: pick('branch', 'at', 'q', 'hits', 'top', 'open'),
  // The conversation scrolls in itself: it gets the rest of the screen.
  staticData: { fill: true },
  component: lazyRouteComponent(() => import('./session/index.ts'), 'SessionPage'),
})

const tree = createRoute({
  getParentRoute: () => root,
  path: '/s/$session/tree',
  validateSearch: pick('branch'),
  component: lazyRouteComponent(() => import('./session/index.ts'), 'TreePage'),
})

const context = createRoute({
  getParentRoute: () => root,
  path: '/s/$session/context',
  validateSearch: pick('branch'),
  component: lazyRouteComponent(() => import('./session/index.ts'), 'ContextPage'),
})

const timeline = createRoute({
  getParentRoute: () => root,
  path: '/s/$session/timeline',
  validateSearch: pick('branch'),
  component: lazyRouteComponent(() => import('./session/index.ts'), 'TimelinePage'),
})

const sessionFiles = createRoute({
  getParentRoute: () => root,
  path: '/s/$session/files',
  validateSearch: pick('path', 'reads', 'open'),
  component: lazyRouteComponent(() => import('./session/index.ts'), 'SessionFilesPage'),
})

/** The pages of the app and their addresses. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    search,
    usage,
    receipt,
    projects,
    prompts,
    plans,
    files,
    check,
    session,
    tree,
    context,
    timeline,
    sessionFiles,
  ]),
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading />,
  defaultErrorComponent: ({ error, reset }) => (
    <div className="mx-auto max-w-3xl px-4">
      <ErrorBox error={error} onRetry={reset} />
    </div>
  ),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** The page fills the screen below the header and scrolls in itself. */
    fill?: boolean
  }
}
