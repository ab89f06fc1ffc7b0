// Prints every sentence that the program can say, by the file it stands in, so that all can be read in one go.
import { fileURLToPath } from 'node:url'
import { messagesIn } from './messages/collect.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

let file = ''
for (const message of messagesIn('src')) {
  if (message.file !== file) console.log(`\n${message.file}`)
  file = message.file
  console.log(`  ${String(message.line).padStart(4)}  ${message.text}`)
}
