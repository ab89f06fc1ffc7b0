import { Failure } from '../core/failure.ts'

/** How much of a record leaves: facts only, also what people asked, or everything. */
export type ContentChoice = 'none' | 'prompts' | 'all'

/** How something that names a person or a place leaves. */
export type NameChoice = 'real' | 'hashed' | 'none'

/** What leaves this machine. Secrets never do, whatever is chosen. */
export interface Choices {
  readonly content: ContentChoice
  readonly user: NameChoice
  /** Paths of projects and files, folders and branches of git. */
  readonly paths: NameChoice
  /** Outputs too large for a log, and the files that were saved before an edit. Only ever with all content. */
  readonly toolResults: boolean
  readonly checkpoints: boolean
  /** Names of tools and kinds of agents that are not the client's own, and how long records are. All content holds them anyway. */
  readonly toolNames: boolean
  readonly agentTypes: boolean
  readonly lengths: boolean
}

export const CONTENT_CHOICES = ['none', 'prompts', 'all'] as const
export const NAME_CHOICES = ['real', 'hashed', 'none'] as const

/** What leaves unless something else is chosen: into a folder of one's own everything, to others facts without names. */
export function usualChoices(isOwnFolder: boolean): Choices {
  const named = { toolNames: isOwnFolder, agentTypes: isOwnFolder, lengths: isOwnFolder }
  const extras = { toolResults: false, checkpoints: false, ...named }
  return isOwnFolder
    ? { content: 'all', user: 'real', paths: 'real', ...extras }
    : { content: 'none', user: 'hashed', paths: 'hashed', ...extras }
}

/** Fails where two choices cannot both be kept. */
export function checkChoices(choices: Choices): Choices {
  const { content, paths, toolResults, checkpoints } = choices
  if (content === 'all' && paths !== 'real') {
    throw new Failure(
      'USAGE',
      `Whole records name paths, so --content all and --paths ${paths} cannot be used together.`,
      {
        hint: 'Use --content prompts or none, or --paths real.',
      },
    )
  }
  if (content !== 'all' && (toolResults || checkpoints)) {
    throw new Failure('USAGE', 'Tool results and checkpoints are content: they leave only with --content all.')
  }
  return choices
}
