import { type ComponentProps, type MouseEvent, useSyncExternalStore } from 'react'
import { type Address, hrefOf, type Params, type Place, placeOf, type Search } from './addresses.ts'
import { forgetPlace, keepScroll, restoreScroll } from './scroll-memory.ts'

/** Where to go: another address, or the same one with something else behind its `?`. */
export interface Target<To extends Address> {
  readonly to?: To
  readonly params?: Params<To>
  readonly search?: Search<To> | ((now: Search<To>) => Search<To>)
  /** Back does not lead here. */
  readonly replace?: boolean
  /** Whether the page begins at its top; so it does unless said otherwise. */
  readonly resetScroll?: boolean
}

/** Goes somewhere. */
export type Navigate<From extends Address> = <To extends Address = From>(target: Target<To>) => Promise<void>

/** Who did not scroll for so long has stopped. */
const REST_MS = 150

let place = placeOf(location.pathname, location.search)
const listeners = new Set<() => void>()

function arrive(): void {
  place = placeOf(location.pathname, location.search)
  for (const listener of listeners) listener()
}

addEventListener('popstate', () => {
  clearTimeout(resting)
  arrive()
  restoreScroll()
})
// The browser would do it before there is anything to scroll.
history.scrollRestoration = 'manual'
// What is noted while a page is left is lost: it is noted when the person stops scrolling.
let resting: ReturnType<typeof setTimeout> | undefined
addEventListener(
  'scroll',
  () => {
    clearTimeout(resting)
    resting = setTimeout(keepScroll, REST_MS)
  },
  { passive: true },
)
restoreScroll()

function go<To extends Address>(target: Target<To>): Promise<void> {
  const href = hrefTo(target)
  clearTimeout(resting)
  keepScroll()
  if (target.replace) history.replaceState(history.state, '', href)
  else {
    history.pushState(null, '', href)
    forgetPlace()
  }
  arrive()
  if (target.resetScroll !== false && !target.replace) scrollTo(0, 0)
  return Promise.resolve()
}

function hrefTo<To extends Address>({ to, params, search }: Target<To>): string {
  const now = place.search as Search<To>
  const wanted = typeof search === 'function' ? search(now) : search
  // Without an address it is this one, filled in as it is.
  return hrefOf(to ?? place.address ?? place.path, params ?? place.params, wanted ?? {})
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Where one is; told again whenever that changes. */
export function usePlace(): Place {
  return useSyncExternalStore(listen, currentPlace)
}

/** Where one is now. */
export function currentPlace(): Place {
  return place
}

/** Goes somewhere, from anywhere. */
export function useNavigate<From extends Address = Address>(_from?: { readonly from?: From }): Navigate<From> {
  return go
}

/** What a page knows of its own address. */
export function getRouteApi<A extends Address>(_address: A) {
  return {
    useSearch: () => usePlace().search as Search<A>,
    useParams: () => usePlace().params as Params<A>,
    useNavigate: () => go as Navigate<A>,
  }
}

type LinkProps<To extends Address> = Omit<ComponentProps<'a'>, 'href'> & Target<To> & { readonly to: To }

/** A link within the app. With a key or another button it is the browser's own. */
export function Link<To extends Address>(props: LinkProps<To>) {
  const { to, params, search, replace, resetScroll, onClick, tabIndex, ...rest } = props
  const target = {
    to,
    ...(params && { params }),
    ...(search && { search }),
    ...(replace !== undefined && { replace }),
    ...(resetScroll !== undefined && { resetScroll }),
  } as Target<To>
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || !isPlain || (rest.target && rest.target !== '_self')) return
    event.preventDefault()
    void go(target)
  }
  return (
    <a
      {...rest}
      // In a picture, names of attributes are told apart by their letters.
      {...(tabIndex !== undefined && { tabindex: tabIndex })}
      href={hrefTo(target)}
      onClick={follow}
    />
  )
}

type TabProps<To extends Address> = LinkProps<To> & {
  /** How it looks where it leads to the page one is on. */
  readonly activeClass: string
  /** Pages below it do not count. */
  readonly isExact?: boolean
}

/** A link that says whether it leads to the page one is on. */
export function TabLink<To extends Address>({ activeClass, isExact = false, className = '', ...rest }: TabProps<To>) {
  const here = usePlace()
  const path = hrefOf(rest.to, rest.params ?? {}, {})
  const isActive = here.path === path || (!isExact && here.path.startsWith(`${path}/`))
  const link = rest as unknown as LinkProps<To>
  return (
    <Link
      {...link}
      aria-current={isActive ? 'page' : undefined}
      className={isActive ? `${className} ${activeClass}` : className}
    />
  )
}
