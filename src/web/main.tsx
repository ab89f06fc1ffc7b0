import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api.ts'
import { Shell } from './shell.tsx'
import { applyTheme, storedTheme } from './theme.ts'
import './styles.css'

applyTheme(storedTheme())

const app = document.getElementById('app')
if (app) {
  createRoot(app).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Shell />
      </QueryClientProvider>
    </StrictMode>,
  )
}
