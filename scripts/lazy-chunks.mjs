/**
 * A plugin for the program: a file of it, and a module of Node, is loaded when something of it is first used, not when a file that names
 * it is. The sources import as always; of what they reach, a command runs a fifth.
 */
export function lazyChunks() {
  return {
    name: 'lazy-chunks',
    renderChunk: (code) =>
      [...code.matchAll(REQUIRED)].reduce(loadedLate, code.replaceAll(EXPORTED, 'exports.$1 = $2;')),
  }
}

/** As the bundler writes what a file imports: a name for all of it. */
const REQUIRED = /^(?:const|let) ([\w$]+) = require\((['"][^'"]+['"])\);$/gm

/** As it writes what a file exports. Nothing of ours is exported that changes later, so a value does. */
const EXPORTED =
  /^Object\.defineProperty\(exports, '([\w$]+)', \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);$/gm

function loadedLate(code, [line, name, module]) {
  // Not as a part of a longer name, nor of a property; after `...` it is one of its own.
  const used = `(?<![\\w$]|(?<!\\.\\.)\\.)${name.replaceAll('$', '\\$')}`
  // What is handed over as a whole is loaded at once.
  if (new RegExp(`${used}(?![\\w$.]| = )`).test(code)) return code
  const late = `let ${name}$loaded;\nconst ${name} = () => ${name}$loaded ??= require(${module});`
  return code.replace(line, () => late).replaceAll(new RegExp(`${used}\\.`, 'g'), () => `(${name}()).`)
}
