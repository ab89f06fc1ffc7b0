import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import ts from 'typescript'

/** One name that a module gives to others. */
export interface PublicName {
  readonly name: string
  /** Its declaration as a program that uses it sees it, comments included. */
  readonly text: string
}

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  types: [],
  strict: true,
  skipLibCheck: true,
}

/** What the type files of a package give to others, by name. */
export function publicNames(path: string): readonly PublicName[] {
  const program = ts.createProgram([path], options)
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(path)
  const module = file && checker.getSymbolAtLocation(file)
  if (!module) throw new Error(`${path} gives nothing to others.`)
  return checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, text: textOf(checker, symbol) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function textOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return (real.declarations ?? [])
    .map((declaration) => {
      const derived = ts.isTypeAliasDeclaration(declaration) ? derivedText(checker, declaration) : undefined
      if (derived !== undefined) return derived
      // Of a constant the statement around it has the comment.
      const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
      // Marks of the bundler, and comments of what it left out before them, are not its own.
      return node
        .getFullText()
        .replace(/^[\s\S]*^\/\/#.*$/m, '')
        .trim()
    })
    .join('\n')
    .replace(/^(export )?declare /gm, '')
}

/** A type that is derived from a schema, written out: its name alone would tell nothing. */
function derivedText(checker: ts.TypeChecker, declaration: ts.TypeAliasDeclaration): string | undefined {
  const text = declaration.getFullText().trim()
  if (!text.includes('Static<')) return undefined
  const { NoTruncation, InTypeAlias, MultilineObjectLiterals } = ts.NodeBuilderFlags
  const flags = NoTruncation | InTypeAlias | MultilineObjectLiterals
  const node = checker.typeToTypeNode(checker.getTypeAtLocation(declaration), declaration, flags)
  if (!node) return undefined
  const print = (one: ts.Node) =>
    ts.createPrinter().printNode(ts.EmitHint.Unspecified, one, declaration.getSourceFile())
  const type = print(inOrder(node, print))
    .replace(/^(?: {4})+/gm, (indent) => ' '.repeat(indent.length / 2))
    .replaceAll('"', "'")
  const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*(?=(?:export |declare )*type )/.exec(text)?.[0] ?? ''
  return `${comment}type ${declaration.name.text} = ${type};`
}

/** With the members of unions and objects by their text: the compiler orders those of derived types by what it met first. */
function inOrder(type: ts.TypeNode, print: (node: ts.Node) => string): ts.TypeNode {
  const sorted = <T extends ts.Node>(nodes: readonly T[]): readonly T[] =>
    nodes
      .map((node) => ({ node, text: print(node) }))
      .sort((one, other) => (one.text < other.text ? -1 : 1))
      .map(({ node }) => node)
  const { transformed } = ts.transform(type, [
    (context) => (root) => {
      const visit = (node: ts.Node): ts.Node => {
        const visited = ts.visitEachChild(node, visit, context)
        if (ts.isUnionTypeNode(visited)) return ts.factory.createUnionTypeNode(sorted(visited.types))
        return ts.isTypeLiteralNode(visited) ? ts.factory.createTypeLiteralNode(sorted(visited.members)) : visited
      }
      return visit(root) as ts.TypeNode
    },
  ])
  return transformed[0] as ts.TypeNode
}

/** The report of some modules: every public name with its declaration. */
export function apiReport(modules: Readonly<Record<string, string>>): string {
  const parts = Object.entries(modules).map(([module, path]) => {
    const names = publicNames(path).map(({ text }) => `\`\`\`ts\n${text}\n\`\`\`\n`)
    return `## \`${module}\`\n\n${names.join('\n')}`
  })
  return `${HEAD}\n${parts.join('\n')}`
}

const HEAD = `# Every public name

Made by \`npm run docs\` from the types of the package, and compared with them by a test: what stands here is what a version number promises.
The schemas of \`annals/format\` are in the package too, as JSON: \`annals/schemas/\`.
`

/** The names of a module alone. */
export function namesOf(path: string): readonly string[] {
  return publicNames(path).map(({ name }) => name)
}

/** The packages that the types of a module name. */
export function packagesIn(path: string): readonly string[] {
  const program = ts.createProgram([path], options)
  const own = program.getSourceFiles().filter(({ fileName }) => /\/dist\/[^/]+\.d\.mts$/.test(fileName))
  const named = own.flatMap(({ fileName }) =>
    [...readFileSync(fileName, 'utf8').matchAll(/from "([^"]+)"/g)].map(([, name]) => name as string),
  )
  return [...new Set(named.filter((name) => !name.startsWith('.') && basename(name) !== ''))].sort()
}
