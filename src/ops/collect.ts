import { CollectInput, CollectResult } from '../collector/run/shape.ts'
import { defineOp } from './op.ts'

export const collect = defineOp({
  name: 'collect',
  alsoIn: 'Share',
  changes: true,
  summary: 'Send sessions to a folder or a team store, secrets masked.',
  examples: [
    'annals collect --to folder:~/Sync/annals',
    'annals collect --to postgres://annals.example.com/team --dry-run',
    'annals collect --to https://annals.example.com --follow',
    'annals collect status',
    'annals collect sent',
    'annals collect install --to https://annals.example.com',
  ],
  input: CollectInput,
  positional: ['action'],
  result: CollectResult,
  async run(context, input) {
    const { collectSetup } = await import('../collector/run/setup.ts')
    const { dryRun, install, sent, status } = await import('../collector/run/look.ts')
    const { runOnce } = await import('../collector/run/run.ts')
    const isLooking = input.action !== undefined || input['dry-run'] === true
    const setup = collectSetup(context, input, isLooking)
    if (input.action === 'status') return status(setup)
    if (input.action === 'sent') return sent(setup, input)
    if (input.action === 'install') return install(context, setup, input)
    if (input['dry-run']) return dryRun(setup, input)
    return runOnce(context, setup, input)
  },
  async *follow(context, input, signal) {
    const { collectSetup } = await import('../collector/run/setup.ts')
    const { follow } = await import('../collector/run/run.ts')
    yield* follow(context, collectSetup(context, input), input, signal)
  },
})
