import { Type } from '../core/schema.ts'
import type { Command } from '../ops/op.ts'

/** The commands about the command line itself, declared like the others for their help. */
export const ownCommands: Readonly<Record<string, Command>> = {
  help: {
    name: 'help',
    summary: 'Show the commands, or the help of one.',
    examples: ['annals help', 'annals help search', 'annals help --all'],
    input: Type.Object({
      topic: Type.Optional(Type.String('A command, or flags for those that every command takes')),
      all: Type.Optional(Type.Boolean('Also the commands that are mostly for scripts')),
    }),
    positional: ['topic'],
    result: Type.Object({}),
  },
  complete: {
    name: 'complete',
    summary: 'Print completion for bash, zsh, fish or powershell.',
    examples: [
      'source <(annals complete bash)                             # bash, in ~/.bashrc',
      'annals complete zsh > ~/.zfunc/_annals                     # zsh, with ~/.zfunc in fpath',
      'annals complete fish > ~/.config/fish/completions/annals.fish',
    ],
    input: Type.Object({ shell: Type.Choice(['bash', 'zsh', 'fish', 'powershell'], 'The shell to complete for') }),
    positional: ['shell'],
    result: Type.Object({}),
  },
}
