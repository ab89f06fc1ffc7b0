import { Link } from './routing.tsx'
import { Empty } from './ui/empty.tsx'
import { Page } from './ui/page.tsx'

/** What is shown for an address that leads nowhere. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        hint={
          <Link to="/" className="text-accent underline">
            Go to the sessions
          </Link>
        }
      >
        There is no such page.
      </Empty>
    </Page>
  )
}
