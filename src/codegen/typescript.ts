// TypeScript from packages: a folder for each package, a file for each module, and one file that all of them share. All
// modules of the main package are written, and those of other packages that it refers to.
import { posix } from 'node:path'
import type { Identifier, Module, Package } from '../lf/syntax/ast.ts'
import { dataTypeOf, identifiersUsedBy, isGenerated, type PackageSet } from './package-set.ts'
import { writeModule } from './typescript-module.ts'
import { prelude, preludeName } from './typescript-prelude.ts'
import { typeNamesOf } from './typescript-types.ts'

const header = '// Made by tallystick codegen; changes will be lost.'

type Place = { readonly package: Package; readonly module: Module }

/** The text of each file, by its path with slashes. */
export function generateTypeScript(packages: PackageSet): Map<string, string> {
  const places = reachableModules(packages)
  const folders = foldersOf([...new Set(places.map((place) => place.package))])
  const pathOf = (place: Place) => `${folders.get(place.package)}/${place.module.name.replaceAll('.', '/')}.ts`
  const files = new Map([[`${preludeName}.ts`, `${header}\n${prelude}`]])
  for (const place of places) files.set(pathOf(place), moduleText(place, packages, pathOf))
  return files
}

function reachableModules(packages: PackageSet): Place[] {
  const places = new Map<string, Place>()
  const pending: Place[] = []
  const reach = (owner: Package, module: Module) => {
    const key = `${owner.id}:${module.name}`
    if (places.has(key) || !hasTypes(module)) return
    const place = { package: owner, module }
    places.set(key, place)
    pending.push(place)
  }
  for (const module of packages.main.modules.values()) reach(packages.main, module)
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    for (const id of identifiersUsedBy(next.module)) {
      const owner = packages.get(id.packageId)
      const module = owner?.modules.get(id.module)
      if (owner !== undefined && module !== undefined) reach(owner, module)
    }
  }
  return [...places.values()]
}

const hasTypes = ({ dataTypes }: Module) => [...dataTypes.values()].some(isGenerated)

/** A package's folder is its name. When several share a name, all but the first add their version. */
function foldersOf(packages: readonly Package[]): Map<Package, string> {
  const taken = new Set<string>()
  const folders = new Map<Package, string>()
  for (const one of packages) {
    const { name, version, id } = one
    const candidates = [name, `${name}-${version}`, `${name}-${version}-${id.slice(0, 8)}`]
    const folder = candidates.find((candidate) => !taken.has(candidate.toLowerCase())) ?? id
    taken.add(folder.toLowerCase())
    folders.set(one, folder)
  }
  return folders
}

function moduleText(place: Place, packages: PackageSet, pathOf: (place: Place) => string): string {
  const own = pathOf(place)
  const taken = new Set(typeNamesOf(place.module).values())
  const imports = new Map<string, string>() // Names of imported modules by path.
  const importOf = (other: Place): string => {
    const path = relativePath(own, pathOf(other))
    let name = imports.get(path)
    if (name === undefined) {
      name = freeName(`$${other.module.name.replaceAll('.', '_')}`, taken)
      taken.add(name)
      imports.set(path, name)
    }
    return name
  }
  const nameOf = (id: Identifier): string | undefined => {
    const owner = packages.get(id.packageId)
    const module = owner?.modules.get(id.module)
    const dataType = dataTypeOf(id, packages)
    if (owner === undefined || module === undefined || !dataType || !isGenerated(dataType)) return undefined
    const name = typeNamesOf(module).get(id.name)!
    const isOwn = owner === place.package && module === place.module
    return isOwn ? name : `${importOf({ package: owner, module })}.${name}`
  }
  const text = writeModule({ ...place, packages, nameOf }).join('\n\n')
  if (text.includes(`${preludeName}.`)) imports.set(relativePath(own, `${preludeName}.ts`), preludeName)
  const lines = [...[...imports].map(([path, name]) => `import type * as ${name} from '${path}'`)]
  const about = `// Module ${place.module.name} of ${place.package.name} ${place.package.version}.`
  return `${[header, about, '', ...lines.sort(), '', text].join('\n')}\n`
}

/** Every setting of module resolution finds a TypeScript file by its name in JavaScript. */
function relativePath(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to).replace(/\.ts$/, '.js')
  return path.startsWith('.') ? path : `./${path}`
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`
  return name
}
