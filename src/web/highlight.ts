import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import graphql from 'highlight.js/lib/languages/graphql'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import lua from 'highlight.js/lib/languages/lua'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import scss from 'highlight.js/lib/languages/scss'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  graphql,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  php,
  python,
  ruby,
  rust,
  scss,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
}

let isReady = false

/** Learns the languages when the first code is shown: a page without any need not wait for it. */
function learn(): void {
  if (isReady) return
  isReady = true
  for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language)
}

/** More than this is shown plain: colours are not worth a page that stands still. */
const MAX_CHARS = 100_000

/** The text as HTML with coloured spans, everything of it escaped; `undefined` where it is to be shown plain. */
export function highlightHtml(text: string, language: string): string | undefined {
  if (text.length > MAX_CHARS || language === '') return undefined
  learn()
  if (!highlighter.getLanguage(language)) return undefined
  try {
    return highlighter.highlight(text, { language, ignoreIllegals: true }).value
  } catch {
    return undefined
  }
}

/** A piece of a line of code; `className` says what it is, or nothing. */
export interface CodeToken {
  readonly text: string
  readonly className?: string
}

/** The lines of a text, each in coloured pieces. Joined, they are the text again. */
export function highlightLines(text: string, language: string | undefined): readonly (readonly CodeToken[])[] {
  const html = language === undefined ? undefined : highlightHtml(text, language)
  if (html === undefined) return text.split('\n').map((line) => [{ text: line }])
  const lines: CodeToken[][] = [[]]
  const scopes: string[] = []
  for (const [piece, scope] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (scope !== undefined) scopes.push(scope)
    else if (piece === '</span>') scopes.pop()
    else {
      const className = scopes.at(-1)
      const parts = decoded(piece).split('\n')
      for (const [i, part] of parts.entries()) {
        if (i > 0) lines.push([])
        if (part !== '') lines.at(-1)?.push(className === undefined ? { text: part } : { text: part, className })
      }
    }
  }
  return lines
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#x27;', "'"],
])

function decoded(html: string): string {
  return html.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES.get(entity) ?? entity)
}

const BY_ENDING: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: 'sh bash zsh env',
    c: 'c h',
    cpp: 'cc cpp cxx hpp hh',
    csharp: 'cs',
    css: 'css',
    diff: 'diff patch',
    dockerfile: 'dockerfile',
    go: 'go',
    graphql: 'graphql gql',
    ini: 'ini toml cfg conf',
    java: 'java',
    javascript: 'js mjs cjs jsx',
    json: 'json jsonl jsonc webmanifest',
    kotlin: 'kt kts',
    lua: 'lua',
    makefile: 'makefile mk',
    markdown: 'md markdown mdx',
    php: 'php',
    python: 'py pyi',
    ruby: 'rb rake gemfile',
    rust: 'rs',
    scss: 'scss',
    sql: 'sql',
    swift: 'swift',
    typescript: 'ts tsx mts cts',
    xml: 'html htm xml svg vue svelte',
    yaml: 'yml yaml',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language] as const)),
)

/** The language of a file, by its name. */
export function languageOf(path: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1)?.toLowerCase() ?? ''
  return BY_ENDING.get(name.split('.').at(-1) ?? '')
}
