// Decodes a package: Package of daml_lf2.proto. The tables come first, wherever they are in the bytes, then
// the modules that use them.

import { readInt32, readLength, readText, wireTypes } from '../../protobuf/wire-reading.ts'
import { type Body, type Choice, languageVersionOf, type Minor, type Module, type Package } from '../syntax/ast.ts'
import { isPackageId, isPackageName, isPackageVersion } from '../syntax/names.ts'
import { refuse } from './archive-error.ts'
import { checkExpressionTable } from './bodies.ts'
import type { Content } from './content.ts'
import { internedName, internedString, text } from './contents.ts'
import { type Check, createDecoding, type Decoding, dottedNameOf, seek, shown } from './decoding.ts'
import { uniquely } from './definitions.ts'
import { lateModules, readTablesLate } from './late-reading.ts'
import { archiveLimits } from './limits.ts'
import { many, mapped, maybe, message, once, readPart, refuseField, refuseVersion } from './message.ts'
import { moduleName, readModule } from './modules.ts'
import { kindEntry, readTypeEntry } from './types.ts'

export type DecodedPackage = {
  readonly package: Package
  /**
   * Reads every expression once and keeps none, so that no `Body` can fail later. Returns the ids of the packages that
   * this one refers to. A package that was checked before it was stored need not be checked again. `visit` reads them
   * instead, each once, in an order of its own; bodies are then exactly as they are written, nothing is merged.
   */
  readonly checkBodies: (visit?: () => void) => ReadonlySet<string>
  /** Those of some packages that it refers to: their ids are among its strings. Reads no expressions. */
  readonly mentioned: (ids: ReadonlySet<string>) => ReadonlySet<string>
}

type Options = {
  readonly check?: Check | undefined
  /** It was read in full before, so it need only be read as far as it is used. */
  readonly isKnown?: boolean
}

export function decodePackage(
  bytes: Uint8Array,
  packageId: string,
  minor: Minor,
  { check, isKnown = false }: Options = {},
): DecodedPackage {
  const decoding = createDecoding(bytes, packageId, minor, check)
  const parts = locateParts(decoding, isKnown)
  if (isKnown) readTablesLate(decoding, parts, dottedName)
  const metadata = readTables(decoding, parts)
  const decoded: Package = {
    id: packageId,
    languageVersion: languageVersionOf(minor),
    ...metadata,
    imports: decoding.imports,
    modules: isKnown
      ? lateModules(
          parts.modules,
          (start) => moduleName(decoding, start),
          (start) => readModule(decoding, start),
        )
      : readModules(decoding, parts),
  }
  const readAll = isKnown ? () => readLateTypes(decoding, parts) : () => {}
  return {
    package: decoded,
    checkBodies(visit) {
      readAll()
      return checkBodies(decoding, decoded, visit)
    },
    mentioned: (ids) => ids.intersection(new Set(isKnown ? stringsOfIds(decoding, parts) : decoding.strings)),
  }
}

function readModules(decoding: Decoding, { modules }: Parts): ReadonlyMap<string, Module> {
  const entries = modules.map((start): [string, Module] => {
    const module = readModule(decoding, start)
    return [module.name, module]
  })
  return uniquely(decoding, 'module', entries)
}

/** Every type, because types name packages, too. */
function readLateTypes(decoding: Decoding, { types }: Parts): void {
  for (const index of types.keys()) if (decoding.types[index] === undefined) decoding.late!.type(index)
}

/** The length of a hash as text. */
const packageIdLength = 64

/** The strings that may be ids of packages. */
function stringsOfIds(decoding: Decoding, { strings }: Parts): readonly string[] {
  const found: string[] = []
  for (const [index, start] of strings.entries()) {
    seek(decoding, start)
    if (readInt32(decoding) === packageIdLength) found.push(decoding.late!.string(index)!)
  }
  return found
}

// ── The package's own fields

/** Where each part starts: at its length. */
type Parts = {
  /** Only of a package that is known. */
  readonly strings: number[]
  readonly modules: number[]
  readonly dottedNames: number[]
  readonly metadata: number[]
  readonly types: number[]
  readonly kinds: number[]
  readonly expressions: number[]
  readonly noImportsReason: number[]
  readonly imports: number[]
}

const packageFields: readonly { number: number; name: string; part: keyof Parts }[] = [
  { number: 1, name: 'modules', part: 'modules' },
  { number: 2, name: 'interned_strings', part: 'strings' },
  { number: 3, name: 'interned_dotted_names', part: 'dottedNames' },
  { number: 4, name: 'metadata', part: 'metadata' },
  { number: 5, name: 'interned_types', part: 'types' },
  { number: 6, name: 'interned_kinds', part: 'kinds' },
  { number: 7, name: 'interned_exprs', part: 'expressions' },
  { number: 8, name: 'no_imported_packages_reason', part: 'noImportsReason' },
  { number: 9, name: 'package_imports', part: 'imports' },
]

function locateParts(decoding: Decoding, isKnown: boolean): Parts {
  const parts: Parts = {
    strings: [],
    modules: [],
    dottedNames: [],
    metadata: [],
    types: [],
    kinds: [],
    expressions: decoding.expressions.offsets,
    noImportsReason: [],
    imports: [],
  }
  while (decoding.position < decoding.end) {
    const tag = readInt32(decoding)
    const field = (tag & 7) === wireTypes.bytes ? packageFields[(tag >>> 3) - 1] : undefined
    if (!field) return refuseField(decoding, 'Package', tag, packageFields)
    const isRead = field.part === 'strings' && !isKnown
    const count = isRead ? decoding.strings.push(readText(decoding)) : keepPart(decoding, parts[field.part])
    if (count > archiveLimits.tableEntriesMax) {
      refuse(decoding, `Package.${field.name} has more than ${archiveLimits.tableEntriesMax} entries`)
    }
  }
  decoding.expressions.bound = parts.expressions.length
  return parts
}

function keepPart(decoding: Decoding, starts: number[]): number {
  const count = starts.push(decoding.position)
  decoding.position = readLength(decoding)
  return count
}

const dottedName = mapped(
  message('InternedDottedName', [many(1, 'segments_interned_str', internedName)], (segments) => segments),
  (segments, decoding) => dottedNameOf(decoding, segments),
)

const upgradedPackageId = message(
  'UpgradedPackageId',
  [once(1, 'upgraded_package_id_interned_str', internedString)],
  (id) => id,
)

type Metadata = Pick<Package, 'name' | 'version' | 'upgrades'>

const metadata: Content<Metadata> = mapped(
  message(
    'PackageMetadata',
    [
      once(1, 'name_interned_str', internedString),
      once(2, 'version_interned_str', internedString),
      maybe(3, 'upgraded_package_id', upgradedPackageId),
    ],
    (name, version, upgrades) => ({ name, version, upgrades }),
  ),
  (metadata, decoding) => {
    const { name, version, upgrades } = metadata
    if (!isPackageName(name)) refuse(decoding, `${shown(name)} is not a valid package name`)
    if (!isPackageVersion(version)) refuse(decoding, `${shown(version)} is not a valid package version`)
    if (upgrades !== undefined && !isPackageId(upgrades))
      refuse(decoding, `${shown(upgrades)} is not a valid package id`)
    return metadata
  },
)

const imports = message('PackageImports', [many(1, 'imported_packages', text)], (ids) => ids)

function readTables(decoding: Decoding, parts: Parts): Metadata {
  const { minor, late } = decoding
  if (late === undefined) {
    for (const start of parts.dottedNames) decoding.dottedNames.push(readPart(decoding, start, dottedName))
  }
  const found = onlyPart(decoding, parts.metadata, 'metadata')
  if (found === undefined) return refuse(decoding, 'the package has no metadata')
  const package_ = readPart(decoding, found, metadata)
  decoding.imports = readImports(decoding, parts)
  if (minor < 2 && parts.kinds.length > 0) refuseVersion(decoding, 'a table of kinds')
  if (minor < 2 && parts.expressions.length > 0) refuseVersion(decoding, 'a table of expressions')
  for (const start of parts.kinds) decoding.kinds.push(readPart(decoding, start, kindEntry))
  for (const start of late === undefined ? parts.types : []) {
    seek(decoding, start)
    decoding.types.push(readTypeEntry(decoding))
  }
  decoding.typeSizes.nodes.length = 0
  decoding.typeSizes.depths.length = 0
  return package_
}

function readImports(decoding: Decoding, parts: Parts): readonly string[] | undefined {
  const found = onlyPart(decoding, parts.imports, 'package_imports')
  const reason = onlyPart(decoding, parts.noImportsReason, 'no_imported_packages_reason')
  if (found === undefined && reason === undefined) return undefined
  if (decoding.minor < 2) refuseVersion(decoding, 'a declaration of imports')
  if (reason !== undefined) readPart(decoding, reason, text)
  if (found === undefined) return undefined
  if (reason !== undefined) refuse(decoding, 'the package both declares imports and says why it has none')
  const ids = readPart(decoding, found, imports)
  const invalid = ids.find((id) => !isPackageId(id))
  if (invalid !== undefined) refuse(decoding, `${shown(invalid)} is not a valid package id`)
  return ids
}

function onlyPart(decoding: Decoding, starts: readonly number[], name: string): number | undefined {
  if (starts.length > 1) refuse(decoding, `the package has its ${name} twice`)
  return starts[0]
}

// ── Checking

function checkBodies(decoding: Decoding, decoded: Package, visit?: () => void): ReadonlySet<string> {
  decoding.isChecking = true
  decoding.expressionsRead = 0
  try {
    checkExpressionTable(decoding)
    if (visit !== undefined) visit()
    else for (const module of decoded.modules.values()) for (const body of bodiesIn(module)) body()
  } finally {
    decoding.isChecking = false
    const { sizes, entries } = decoding.expressions
    for (const table of [sizes.nodes, sizes.depths, entries]) table.length = 0
  }
  const referred = new Set([...decoding.references.values()].map(({ packageId }) => packageId))
  referred.delete(decoding.packageId)
  return referred
}

export function* bodiesIn(module: Module): Generator<Body> {
  for (const value of module.values.values()) yield value.body
  for (const exception of module.exceptions.values()) yield exception.message
  for (const iface of module.interfaces.values()) yield* bodiesOfChoices(iface.choices)
  for (const template of module.templates.values()) {
    if (template.precondition) yield template.precondition
    yield template.signatories
    yield template.observers
    yield* bodiesOfChoices(template.choices)
    if (template.key) yield* [template.key.body, template.key.maintainers]
    for (const instance of template.interfaceInstances) yield* [...instance.methods.values(), instance.view]
  }
}

function* bodiesOfChoices(choices: ReadonlyMap<string, Choice>): Generator<Body> {
  for (const { controllers, observers, update } of choices.values()) yield* [controllers, observers, update]
}
