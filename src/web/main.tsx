import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api.ts'
import { prepare } from './router.tsx'
import { Shell } from './shell.tsx'
import { applyTheme, storedTheme } from './theme.ts'
import './styles.css'

/** After so long the page is drawn without what it still waits for. */
const PATIENCE_MS = 200

applyTheme(storedTheme())
void Promise.race([prepare(), new Promise((done) => setTimeout(done, PATIENCE_MS))]).then(draw)

function draw(): void {
  const app = document.getElementById('app')
  if (!app) return
  createRoot(app).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Shell />
      </QueryClientProvider>
    </StrictMode>,
  )
}
