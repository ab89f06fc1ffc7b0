import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The server allows nothing inline and nothing from elsewhere: every byte of the app is a file of its own.
export default defineConfig({
  root: 'src/web',
  // Vite minifies what Tailwind makes. Tailwind's own optimizer does not know `::highlight`, and warns.
  plugins: [react(), tailwindcss({ optimize: false })],
  logLevel: 'warn',
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { bundlerTimings: false } },
    target: ['chrome123', 'firefox121', 'safari17.5'],
    chunkSizeWarningLimit: 800,
  },
})
