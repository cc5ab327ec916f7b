// node tools/lf/library-packages.ts DAR…: checks Daml's own library packages in these DARs, and adds those without a problem to
// src/lf/checking/library-packages.ts. Run it on a DAR of each release of Daml, and on all of them after the checker became stricter.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stablePackages } from '../../src/lf/archive/stable-packages.ts'
import { createPackageChecker } from '../../src/lf/checking/check-package.ts'
import { libraryPackages } from '../../src/lf/checking/library-packages.ts'
import { openDar } from '../../src/lf/dar/dar.ts'

const table = fileURLToPath(new URL('../../src/lf/checking/library-packages.ts', import.meta.url))
const names = new Set(['daml-prim', 'daml-stdlib', 'daml-script'])
const shortLength = 8

const rows = new Map(libraryPackages.map((row) => [row.id, row]))
for (const file of process.argv.slice(2)) {
  const { packages } = openDar(readFileSync(file))
  const decoded = new Map(packages.map((one) => [one.id, one.decode()]))
  const checker = createPackageChecker((id) => decoded.get(id)?.package)
  for (const [id, one] of decoded) {
    const { name, version, languageVersion } = one.package
    if (!names.has(name)) continue
    const referred = [...checker.check(one)].sort()
    const libraries = referred.filter((other) => !stablePackages.has(other))
    const stable = referred.filter((other) => stablePackages.has(other)).map((other) => other.slice(0, shortLength))
    rows.set(id, { id, what: `${name} ${version} for LF ${languageVersion}`, libraries, stable: stable.join(' ') })
  }
}

const source = readFileSync(table, 'utf8')
const marker = 'export const libraryPackages: readonly LibraryPackage[] = '
const written = [...rows.values()].sort((one, other) => (one.what + one.id < other.what + other.id ? -1 : 1))
writeFileSync(table, `${source.slice(0, source.indexOf(marker))}${marker}${JSON.stringify(written, null, 2)}\n`)
