import { Type } from '../core/schema.ts'
import type { Command } from '../ops/op.ts'

/** The commands about the command line itself, declared like the others for their help. */
export const ownCommands: Readonly<Record<string, Command>> = {
  help: {
    name: 'help',
    alsoIn: 'Look after',
    summary: 'Show all commands, or help for one.',
    examples: ['annals help', 'annals help search', 'annals help --all'],
    input: Type.Object({
      topic: Type.Optional(Type.String('A command; or "flags" for those that every command takes')),
      all: Type.Optional(Type.Boolean('List all commands')),
    }),
    positional: ['topic'],
    result: Type.Object({}),
  },
  complete: {
    name: 'complete',
    alsoIn: 'Look after',
    summary: 'Print shell completion for bash, zsh, fish or powershell.',
    examples: [
      'source <(annals complete bash)            # bash, in ~/.bashrc',
      'annals complete zsh > ~/.zfunc/_annals    # zsh, with ~/.zfunc in fpath',
      'annals complete fish > ~/.config/fish/completions/annals.fish',
    ],
    input: Type.Object({ shell: Type.Choice(['bash', 'zsh', 'fish', 'powershell'], 'The shell to complete for') }),
    positional: ['shell'],
    result: Type.Object({}),
  },
}
