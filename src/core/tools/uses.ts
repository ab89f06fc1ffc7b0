import { startsAgent } from '../facts/agent-calls.ts'
import { textAt } from '../json.ts'
import { toolUsesOf } from '../log/content.ts'
import type { LogRecord } from '../log/record.ts'
import { nodeOf } from '../tree/node.ts'

/** How often something was used, and when last. */
export interface Use {
  readonly count: number
  readonly lastUsed: string | null
}

/** The same of one thing: the kind of its use and its name. */
export interface NamedUse extends Use {
  readonly key: string
}

/** Counts how often commands, skills and agents were used in logs, by name. */
export class UseFold {
  readonly #uses = new Map<string, Use>()
  /** A row that is written again calls nothing again. */
  readonly #calls = new Set<string>()

  add(record: LogRecord): void {
    const at = textAt(record.raw, 'timestamp') ?? null
    if (record.type === 'assistant') {
      for (const { id, name, input } of toolUsesOf(record.raw)) {
        if (id !== '' && this.#calls.has(id)) continue
        this.#calls.add(id)
        const skill = textAt(input, 'skill') ?? textAt(input, 'command')
        const agent = textAt(input, 'subagent_type')
        if ((name === 'Skill' || name === 'SlashCommand') && skill)
          this.#count('call', skill.split(' ')[0] as string, at)
        if (agent && startsAgent(name)) this.#count('agent', agent, at)
      }
      return
    }
    const command = record.type === 'user' ? nodeOf(record)?.command : undefined
    if (command) this.#count('typed', command.name, at)
  }

  /** What was counted so far: plain data, which another count can take in. */
  all(): readonly NamedUse[] {
    return [...this.#uses].map(([key, use]) => ({ key, ...use }))
  }

  addAll(uses: readonly NamedUse[]): void {
    for (const { key, ...use } of uses) this.#uses.set(key, merge(this.#uses.get(key), use))
  }

  /** Uses of a command or skill: typed by a person, or called by the model. */
  ofCommand(name: string): Use {
    return merge(this.#uses.get(`typed ${name}`), this.#uses.get(`call ${name}`))
  }

  ofAgent(name: string): Use {
    return merge(this.#uses.get(`agent ${name}`), undefined)
  }

  #count(kind: 'typed' | 'call' | 'agent', name: string, at: string | null): void {
    const key = `${kind} ${name.replace(/^\//, '')}`
    this.#uses.set(key, merge(this.#uses.get(key), { count: 1, lastUsed: at }))
  }
}

function merge(a: Use | undefined, b: Use | undefined): Use {
  const times = [a?.lastUsed, b?.lastUsed].filter((time) => typeof time === 'string').sort()
  return { count: (a?.count ?? 0) + (b?.count ?? 0), lastUsed: times.at(-1) ?? null }
}
