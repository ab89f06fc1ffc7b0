import { loadWideText } from '../src/cli/terminal/width.ts'

// Formatters lay out any text at once; only the command line lets them try without first.
await loadWideText()
