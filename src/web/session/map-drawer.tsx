import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** The map on a narrow screen: over the page, until one has chosen. */
export function MapDrawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <Dialog
      label="Map of the session"
      onClose={onClose}
      className="m-0! ml-auto! h-dvh max-h-dvh! w-[min(22rem,90vw)]! rounded-none!"
    >
      <div className="flex h-full flex-col">
        <div className="flex items-center justify-between border-b border-line px-4 py-2">
          <h2 className="font-semibold">Map</h2>
          <Button
            look="quiet"
            aria-label="Close the map"
            onClick={(event) => event.currentTarget.closest('dialog')?.close()}
          >
            ✕
          </Button>
        </div>
        <div className="min-h-0 flex-1">{children}</div>
      </div>
    </Dialog>
  )
}
