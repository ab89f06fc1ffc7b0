import { Link } from '../routing.tsx'
import { Button } from '../ui/button.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { countText, plural } from '../ui/words.ts'
import type { HitWalk } from './use-hits.ts'

/** Which hit of a search one is at, and the way to the others. */
export function HitsBar({ walk, query, onClose }: { walk: HitWalk; query: string; onClose: () => void }) {
  const { total, current, sessions } = walk
  const place = current < 0 ? plural(total, 'hit') : `Hit ${countText(current + 1)} of ${countText(total)}`
  return (
    <section
      aria-label="Hits of the search"
      className="flex shrink-0 items-center gap-1 border-b border-line bg-surface px-4 py-1 text-sm sm:px-6"
    >
      <span aria-live="polite" className="min-w-0 truncate">
        {total === 0 ? 'Looking …' : place} <span className="text-muted">in this session</span>
        {sessions > 1 && <span className="text-muted max-sm:hidden"> · {plural(sessions, 'session')} have it</span>}
      </span>
      <span className="ml-auto flex shrink-0 items-center">
        <Link
          to="/search"
          search={{ q: query }}
          className="rounded-md px-2 py-1 text-accent hover:underline max-xs:sr-only"
        >
          All hits
        </Link>
        <Button look="quiet" aria-label="Previous hit" title="Previous hit (k or N)" onClick={walk.previous}>
          ↑ <Kbd>k</Kbd>
        </Button>
        <Button look="quiet" aria-label="Next hit" title="Next hit (j or n)" onClick={walk.next}>
          ↓ <Kbd>j</Kbd>
        </Button>
        <Button look="quiet" aria-label="End the search" title="End the search (Esc)" onClick={onClose}>
          ✕
        </Button>
      </span>
    </section>
  )
}
