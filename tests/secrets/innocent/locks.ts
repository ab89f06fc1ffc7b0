import type { Draw } from '../kind.ts'
import { ALPHABET, type Random } from '../random.ts'
import { lines, packageName, version } from './words.ts'

const sha512 = (random: Random): string => `sha512-${random.bytes(64).toString('base64')}`
const hex = (random: Random, length: number): string => random.chars(ALPHABET.hex, length)

/** Lock files, which are mostly checksums. */
export const LOCK_FILES: Readonly<Record<string, Draw>> = {
  'package-lock': (random) =>
    lines(random, 8, () => {
      const name = packageName(random)
      const at = version(random)
      return `    "node_modules/${name}": {\n      "version": "${at}",\n      "resolved": "https://npm.acme.dev/${name}/-/${name}-${at}.tgz",\n      "integrity": "${sha512(random)}",\n      "license": "MIT"\n    },`
    }),
  'cargo-lock': (random) =>
    lines(
      random,
      10,
      () =>
        `[[package]]\nname = "${packageName(random)}"\nversion = "${version(random)}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${hex(random, 64)}"\n`,
    ),
  'yarn-lock': (random) =>
    lines(random, 10, () => {
      const name = packageName(random)
      const at = version(random)
      return `${name}@^${at}:\n  version "${at}"\n  resolved "https://npm.acme.dev/${name}/-/${name}-${at}.tgz#${hex(random, 40)}"\n  integrity ${sha512(random)}\n`
    }),
  'pnpm-lock': (random) =>
    lines(
      random,
      12,
      () => `  ${packageName(random)}@${version(random)}:\n    resolution: {integrity: ${sha512(random)}}\n`,
    ),
  'go-sum': (random) =>
    lines(
      random,
      40,
      () =>
        `github.com/acme/${packageName(random)} v${version(random)}/go.mod h1:${random.bytes(32).toString('base64')}`,
    ),
  'poetry-lock': (random) =>
    lines(
      random,
      20,
      () => `    {file = "${packageName(random)}-${version(random)}.tar.gz", hash = "sha256:${hex(random, 64)}"},`,
    ),
  'pip-hashes': (random) =>
    lines(random, 20, () => `${packageName(random)}==${version(random)} \\\n    --hash=sha256:${hex(random, 64)}`),
  'gemfile-lock': (random) =>
    lines(
      random,
      20,
      () =>
        `    ${packageName(random)} (${version(random)})\n  remote: https://github.com/acme/a.git\n  revision: ${hex(random, 40)}`,
    ),
}
