/** Whether a command for a shell runs tests, as far as its words tell. */
export function isTestRun(command: string): boolean {
  return RUNNERS.test(command.replace(QUOTED, ' '))
}

/** What is quoted is said, not run. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g

/** At the start of a command, or behind what joins two; a runner may stand behind `npx` and its like, or behind variables. */
const START = String.raw`(?:^|[;&|(\n])\s*(?:\w+=\S*\s+)*(?:(?:npx|bunx|uvx?|poetry|pipenv|bundle|time|nice|sudo)\s+(?:run\s+|exec\s+|-\S+\s+)*)?`
const NAMES = [
  String.raw`(?:npm|pnpm|yarn|bun|deno)\s+(?:run\s+)?(?:t|tst|test)(?=[\s:;&|)-]|$)\S*`,
  String.raw`(?:vitest|jest|mocha|ava|tap|playwright\s+test|cypress\s+run|node\s+--test)\b`,
  String.raw`(?:pytest|tox|nox|python3?\s+-m\s+(?:pytest|unittest)|rspec|phpunit|ctest|bats)\b`,
  String.raw`(?:go|cargo|dotnet|swift|mix|rake|rails|flutter|dart|zig\s+build|mvn|gradle|\.\/gradlew|bazel|make|just)\s+(?:\S+\s+)*?(?:test|nextest|check)(?=[\s;&|)]|$)`,
]
const RUNNERS = new RegExp(`${START}(?:${NAMES.join('|')})`)
