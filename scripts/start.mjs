// The main job: the web app on this user's history, or on a made-up one where there is none. Ctrl-C stops it.
process.argv.splice(2, 0, 'serve')
await import('../dist/cli.cjs')
