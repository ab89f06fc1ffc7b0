import { foldWord, hasCjk, hasLetters, nextWord, partsIn } from './words.ts'

/** What a search asks for. `isCut` says that the query was too long and its end was not read. */
export interface Query {
  readonly root: QueryNode | undefined
  readonly isCut: boolean
}

/** A node of a query; an `and` or `or` has at least two nodes. */
export type QueryNode =
  | Term
  | { readonly kind: 'not'; readonly node: QueryNode }
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly QueryNode[] }

/** A word or a phrase as it was typed, without its quotes and its star. */
export interface Term {
  readonly kind: 'term'
  readonly text: string
  readonly isPrefix: boolean
}

const MAX_LENGTH = 10_000
const MAX_TERMS = 200
/** Groups deeper than this are read as if their parentheses were not there. */
const MAX_DEPTH = 16

/**
 * Reads a query: words, "phrases", prefix*, -not, AND, OR, NOT and parentheses; everything else is literal. Never throws: what is
 * not closed ends with the text, what closes nothing is passed over, and an operator with nothing beside it is a word.
 */
export function parseQuery(text: string): Query {
  const end = Math.min(text.length, MAX_LENGTH)
  const open: Group[] = [newGroup(false)]
  let tooDeep = 0
  let terms = 0
  let at = 0
  const group = () => open.at(-1) as Group
  const close = () => {
    const closed = open.pop() as Group
    add(group(), nodeOf(closed), closed.isNegated)
  }
  while (at < end && terms < MAX_TERMS) {
    if (isSpace(text, at)) {
      at++
      continue
    }
    if (text[at] === ')') {
      if (tooDeep > 0) tooDeep--
      else if (open.length > 1) close()
      at++
      continue
    }
    // Two dashes begin an option that someone looks for.
    const isNegated = text[at] === '-' && at + 1 < end && text[at + 1] !== '-' && !isSpace(text, at + 1)
    if (isNegated) at++
    if (text[at] === '(') {
      if (open.length > MAX_DEPTH) tooDeep++
      else open.push(newGroup(takeOperators(group()) || isNegated))
      at++
      continue
    }
    const term = text[at] === '"' ? readPhrase(text, at, end) : readWord(text, at, end, open.length > 1 || tooDeep > 0)
    at = term.next
    terms++
    const operator = term.isQuoted || isNegated ? undefined : operatorIn(term.text, group())
    if (operator === 'OR') startAlternative(group())
    else if (operator) group().operators.push(operator)
    else {
      const isUnwanted = takeOperators(group()) || isNegated
      add(group(), { kind: 'term', text: term.text, isPrefix: term.isPrefix }, isUnwanted)
    }
  }
  while (open.length > 1) close()
  return { root: nodeOf(group()), isCut: at < text.length }
}

interface Group {
  readonly isNegated: boolean
  readonly alternatives: QueryNode[]
  nodes: QueryNode[]
  /** Operators that wait for what they are about. */
  operators: ('AND' | 'NOT')[]
}

function newGroup(isNegated: boolean): Group {
  return { isNegated, alternatives: [], nodes: [], operators: [] }
}

/** The operator that a word is where it stands: one that lacks what it joins is a word. */
function operatorIn(word: string, { nodes, operators }: Group): 'AND' | 'OR' | 'NOT' | undefined {
  if (word === 'NOT') return operators.includes('NOT') ? undefined : 'NOT'
  const isBetween = nodes.length > 0 && operators.length === 0
  return isBetween && (word === 'AND' || word === 'OR') ? word : undefined
}

/** Says whether what comes now is not wanted. */
function takeOperators(group: Group): boolean {
  const isNegated = group.operators.includes('NOT')
  group.operators = []
  return isNegated
}

function add(group: Group, node: QueryNode | undefined, isNegated: boolean): void {
  if (node) group.nodes.push(isNegated ? { kind: 'not', node } : node)
}

function startAlternative(group: Group): void {
  group.alternatives.push(allOf('and', group.nodes) as QueryNode)
  group.nodes = []
}

function nodeOf(group: Group): QueryNode | undefined {
  for (const text of group.operators) add(group, { kind: 'term', text, isPrefix: false }, false)
  const last = allOf('and', group.nodes)
  if (last) return allOf('or', [...group.alternatives, last])
  if (group.alternatives.length === 0) return undefined
  const before = group.alternatives.pop() as QueryNode
  const word: Term = { kind: 'term', text: 'OR', isPrefix: false }
  return allOf('or', [...group.alternatives, { kind: 'and', nodes: [before, word] }])
}

function allOf(kind: 'and' | 'or', nodes: readonly QueryNode[]): QueryNode | undefined {
  return nodes.length > 1 ? { kind, nodes } : nodes[0]
}

interface ReadTerm {
  readonly text: string
  readonly isPrefix: boolean
  readonly isQuoted: boolean
  readonly next: number
}

function readPhrase(text: string, from: number, end: number): ReadTerm {
  const close = text.indexOf('"', from + 1)
  if (close === -1 || close >= end)
    return { text: text.slice(from + 1, end), isPrefix: false, isQuoted: true, next: end }
  const isPrefix = text[close + 1] === '*'
  return { text: text.slice(from + 1, close), isPrefix, isQuoted: true, next: close + (isPrefix ? 2 : 1) }
}

/** A word ends at white space, at a quote, or at the parenthesis of its group; `call(me)` keeps its own. */
function readWord(text: string, from: number, end: number, isInGroup: boolean): ReadTerm {
  let own = 0
  let at = from
  for (; at < end && !isSpace(text, at) && text[at] !== '"'; at++) {
    if (text[at] === '(') own++
    else if (text[at] === ')') {
      if (own === 0 && isInGroup) break
      own--
    }
  }
  let to = at
  while (to > from && text[to - 1] === '*') to--
  return { text: text.slice(from, to), isPrefix: to < at, isQuoted: false, next: at }
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code > 0x7f && /\s/.test(text[at] as string))
}

/** The columns of the full-text table: the text itself and its `partsOf`. */
export interface FtsColumns {
  readonly text: string
  readonly parts: string
}

/**
 * The FTS5 expression of a query; every word of it is a quoted string, so none can be taken for syntax. `undefined` where
 * no expression exists: there is no word in the query, or it only says what is not wanted.
 */
export function toFts(query: Query, columns: FtsColumns = { text: 'text', parts: 'parts' }): string | undefined {
  const wanted = query.root && wantedOf(query.root, columns)
  return wanted?.isNegated === false ? wanted.expression : undefined
}

/** FTS5 can only say what is there: a negation is carried upwards until it meets something to be taken from. */
interface Wanted {
  readonly expression: string
  readonly isNegated: boolean
}

/** Recurses as deep as a query may be nested, `MAX_DEPTH`. */
function wantedOf(node: QueryNode, columns: FtsColumns): Wanted | undefined {
  if (node.kind === 'term') {
    const expression = termExpression(node, columns)
    return expression === undefined ? undefined : { expression, isNegated: false }
  }
  if (node.kind === 'not') {
    const inner = wantedOf(node.node, columns)
    return inner && { ...inner, isNegated: !inner.isNegated }
  }
  const all = node.nodes.map((child) => wantedOf(child, columns)).filter((wanted) => wanted !== undefined)
  const isNegated = (wanted: Wanted) => wanted.isNegated
  const not = all.filter(isNegated).map(({ expression }) => expression)
  const yes = all.filter((wanted) => !wanted.isNegated).map(({ expression }) => expression)
  if (all.length === 0) return undefined
  if (node.kind === 'and') {
    if (yes.length === 0) return { expression: joined('OR', not), isNegated: true }
    return { expression: without(joined('AND', yes), joined('OR', not)), isNegated: false }
  }
  if (not.length === 0) return { expression: joined('OR', yes), isNegated: false }
  return { expression: without(joined('AND', not), joined('OR', yes)), isNegated: true }
}

function joined(operator: 'AND' | 'OR', expressions: readonly string[]): string {
  return expressions.length > 1 ? `(${expressions.join(` ${operator} `)})` : (expressions[0] ?? '')
}

function without(expression: string, unwanted: string): string {
  return unwanted === '' ? expression : `(${expression} NOT ${unwanted})`
}

function termExpression(term: Term, columns: FtsColumns): string | undefined {
  const sought = soughtOf(term)
  if (!sought) return undefined
  const whole = quoted(term.text, term.isPrefix)
  if (sought.kind === 'plain') return `{${columns.text} ${columns.parts}} : ${whole}`
  const other =
    sought.kind === 'parts'
      ? `${columns.parts} : ${quoted(sought.parts.join(' '), sought.isPrefix)}`
      : joined(
          'AND',
          sought.terms.map((each) => termExpression(each, columns) ?? ''),
        )
  return `(${columns.text} : ${whole} OR ${other})`
}

/** SQLite reads an expression up to its first NUL. */
function quoted(text: string, isPrefix: boolean): string {
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"${isPrefix ? ' *' : ''}`
}

/** How a term may stand in a text, beside as its own words in a row. */
export type Sought =
  | { readonly kind: 'plain'; readonly words: readonly string[] }
  /** As parts of one word. */
  | {
      readonly kind: 'parts'
      readonly words: readonly string[]
      readonly parts: readonly string[]
      readonly isPrefix: boolean
    }
  /** Several words of which some are CJK: each by itself, since a CJK word may begin and end anywhere in a run. */
  | { readonly kind: 'each'; readonly words: readonly string[]; readonly terms: readonly Term[] }

/** How a term is looked for, its words in the index's spelling; `undefined` where no word is in it. */
export function soughtOf(term: Term): Sought | undefined {
  const found: string[] = []
  let isPlain = true
  for (let word = nextWord(term.text, 0); word; word = nextWord(term.text, word.to)) {
    const own = term.text.slice(word.from, word.to)
    if (!hasLetters(own)) continue
    found.push(own)
    isPlain &&= word.isPlain
  }
  if (found.length === 0) return undefined
  const words = found.map(foldWord)
  if (isPlain) return { kind: 'plain', words }
  const isCjk = found.some(hasCjk)
  if (isCjk && found.length > 1) {
    const last = found.length - 1
    const terms = found.map((text, i): Term => ({ kind: 'term', text, isPrefix: term.isPrefix && i === last }))
    return { kind: 'each', words, terms }
  }
  const parts = found.flatMap((word) => {
    const own = partsIn(word, { open: true })
    return own.length > 0 ? own.map((part) => part.text) : [foldWord(word)]
  })
  return { kind: 'parts', words, parts, isPrefix: term.isPrefix || endsInCjk(found[0] as string, parts) }
}

/** A single CJK character stands at the beginning of a pair, or alone at the end of its run. */
function endsInCjk(word: string, parts: readonly string[]): boolean {
  return hasCjk(word) && hasCjk(parts.at(-1) as string)
}

/** The terms of a query that a hit holds; not those that it must not hold. */
export function wantedTerms(query: Query): readonly Term[] {
  const terms: Term[] = []
  const visit = (node: QueryNode, isWanted: boolean): void => {
    if (node.kind === 'not') visit(node.node, !isWanted)
    else if (node.kind !== 'term') for (const child of node.nodes) visit(child, isWanted)
    else if (isWanted) terms.push(node)
  }
  if (query.root) visit(query.root, true)
  return terms
}
