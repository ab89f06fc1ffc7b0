import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api.ts'
import { router } from './router.tsx'
import { applyTheme, storedTheme } from './theme.ts'
import './styles.css'

applyTheme(storedTheme())

const app = document.getElementById('app')
if (app) {
  createRoot(app).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
