/**
 * The one name of a model, whatever its provider calls it: `us.anthropic.claude-opus-4-5-20251101-v1:0`,
 * `claude-opus-4-5@20251101`, `anthropic/claude-opus-4.5` and `claude-opus-4-5[1m]` are all `claude-opus-4-5`.
 */
export function modelName(id: string): string {
  const name = known.get(id) ?? nameOf(id)
  known.set(id, name)
  return name
}

/** There are few models, and thousands of responses of each. */
const known = new Map<string, string>()

function nameOf(id: string): string {
  const bare = id
    .trim()
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, '')
    .replace(/^.*\//, '')
  const own = bare.replace(/^(?:[a-z-]+\.)?anthropic\./, '')
  return own.startsWith('claude-') ? claudeName(own) : own
}

function claudeName(id: string): string {
  const undated = id
    .replace(/:[a-z]+$/, '')
    .replace(/@[^@]*$/, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/-(?:\d{8}|latest)$/, '')
    .replaceAll('.', '-')
  const older = /^claude-(opus|sonnet|haiku)-(3(?:-\d)?)$/.exec(undated)
  if (older) return `claude-${older[2]}-${older[1]}`
  const newer = /^claude-([4-9](?:-\d)?)-(opus|sonnet|haiku)$/.exec(undated)
  return (newer ? `claude-${newer[2]}-${newer[1]}` : undated).replace(/^(claude-[a-z]+-\d)-0$/, '$1')
}
