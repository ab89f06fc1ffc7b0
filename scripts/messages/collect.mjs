import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** The sentences in the sources below a folder that people may read: strings of two words or more, wherever they stand. */
export function messagesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\.as\.ts$|^testing\//.test(path))
    .sort()
    .flatMap((path) => messagesOf(join(folder, path)))
}

function messagesOf(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true, kindOf(file))
  const found = []
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    const text = textOf(node)
    if (text !== undefined && isSentence(text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      found.push({ file, line: line + 1, text: text.replace(/\s+/g, ' ').trim() })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function kindOf(file) {
  return file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
}

function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
}

/** Words as people write them: SQL, patterns and names of styles are not among them. */
function isSentence(text) {
  const words = text.match(/[A-Za-z’']{2,}/g) ?? []
  const isCode =
    /^\s*(select|insert|create|update|delete|with|pragma|drop|from|where|and|order by|attach|alter)\b/i.test(text)
  const isStyle = /(?:^|\s)(?:[a-z]+-[a-z0-9-]+|[a-z]+:[a-z-]+|\[[^\]]+\])(?:\s|$)/.test(text) && !/[.?!:]/.test(text)
  // Scripts for shells and databases are strings too.
  if (text.length > LONGEST) return false
  return words.length >= 2 && /[a-z]/.test(text) && /\s/.test(text.trim()) && !isCode && !isStyle
}

const LONGEST = 400
