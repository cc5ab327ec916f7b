// References to modules and to what they define: SelfOrImportedPackageId, ModuleId, TypeConId, TypeSynId and ValueId of
// daml_lf2.proto. They are the most frequent messages of an archive, so they are read by hand and each is built once.

import { readInt32, wireTypes } from '../../protobuf/wire-reading.ts'
import type { Identifier } from '../syntax/ast.ts'
import { isPackageId } from '../syntax/names.ts'
import { refuse } from './archive-error.ts'
import type { Content } from './content.ts'
import {
  type Decoding,
  dottedNameAt,
  type ModuleReference,
  type PackageReference,
  refuseIndex,
  shown,
  stringAt,
} from './decoding.ts'
import { enterMessage, leaveMessage, refuseField, refuseVersion } from './message.ts'
import { stablePackages } from './stable-packages.ts'

const tags = {
  module: { packageId: 0x0a, name: 0x10 },
  definition: { module: 0x0a, name: 0x10 },
  package: { self: 0x0a, internedString: 0x18, import: 0x20 },
}

const fieldNames = {
  module: [
    { number: 1, name: 'package_id' },
    { number: 2, name: 'module_name_interned_dname' },
  ],
  definition: [
    { number: 1, name: 'module' },
    { number: 2, name: 'name_interned_dname' },
  ],
  package: [
    { number: 1, name: 'self_package_id' },
    { number: 3, name: 'imported_package_id_interned_str' },
    { number: 4, name: 'package_import_id' },
  ],
}

export const identifier: Content<Identifier> = { wireType: wireTypes.bytes, read: readIdentifier }
export const moduleReference: Content<ModuleReference> = { wireType: wireTypes.bytes, read: readModuleReference }

function readIdentifier(decoding: Decoding): Identifier {
  const outerEnd = decoding.end
  const end = enterMessage(decoding)
  let module: ModuleReference | undefined
  let name: number | undefined
  while (decoding.position < end) {
    const tag = readInt32(decoding)
    if (tag === tags.definition.module && module === undefined) module = readModuleReference(decoding)
    else if (tag === tags.definition.name && name === undefined) name = readInt32(decoding)
    else refuseReference(decoding, 'definition', tag)
  }
  leaveMessage(decoding, end, outerEnd)
  if (module === undefined) return refuse(decoding, 'a reference names no module')
  return identifierIn(decoding, module, name ?? 0)
}

function readModuleReference(decoding: Decoding): ModuleReference {
  const outerEnd = decoding.end
  const end = enterMessage(decoding)
  let from: PackageReference | undefined
  let name: number | undefined
  while (decoding.position < end) {
    const tag = readInt32(decoding)
    if (tag === tags.module.packageId && from === undefined) from = readPackageReference(decoding)
    else if (tag === tags.module.name && name === undefined) name = readInt32(decoding)
    else refuseReference(decoding, 'module', tag)
  }
  leaveMessage(decoding, end, outerEnd)
  if (from === undefined) return refuse(decoding, 'a reference to a module names no package')
  return moduleIn(decoding, from, name ?? 0)
}

function readPackageReference(decoding: Decoding): PackageReference {
  const outerEnd = decoding.end
  const end = enterMessage(decoding)
  let reference: PackageReference | undefined
  while (decoding.position < end) {
    const tag = readInt32(decoding)
    if (reference !== undefined) refuse(decoding, 'a reference names more than one package')
    if (tag === tags.package.self) reference = readSelf(decoding)
    else if (tag === tags.package.internedString) reference = packageIn(decoding, 'string', readInt32(decoding))
    else if (tag === tags.package.import) reference = packageIn(decoding, 'import', readInt32(decoding))
    else refuseReference(decoding, 'package', tag)
  }
  leaveMessage(decoding, end, outerEnd)
  return reference ?? refuse(decoding, 'a reference names no package')
}

function readSelf(decoding: Decoding): PackageReference {
  const outerEnd = decoding.end
  const end = enterMessage(decoding)
  if (decoding.position !== end) refuse(decoding, 'unknown field in Unit')
  leaveMessage(decoding, end, outerEnd)
  return packageIn(decoding, 'self', 0)
}

function refuseReference(decoding: Decoding, what: keyof typeof fieldNames, tag: number): never {
  const known = fieldNames[what]
  const isKnown = Object.values(tags[what]).includes(tag)
  if (isKnown) refuse(decoding, `field ${tag >>> 3} of a ${what} reference is given twice`)
  return refuseField(decoding, `a ${what} reference`, tag, known)
}

/** The three ways to refer to a package get distinct numbers: 0, odd and even. */
function packageIn(decoding: Decoding, from: 'self' | 'string' | 'import', index: number): PackageReference {
  const key = from === 'self' ? 0 : 2 * index + (from === 'string' ? 1 : 2)
  const known = decoding.references.get(key)
  if (known !== undefined) return known
  const reference = { packageId: packageIdOf(decoding, from, index), modules: new Map() }
  decoding.references.set(key, reference)
  return reference
}

function packageIdOf(decoding: Decoding, from: 'self' | 'string' | 'import', index: number): string {
  if (from === 'self') return decoding.packageId
  const id = from === 'string' ? stringAt(decoding, index) : importAt(decoding, index)
  if (!isPackageId(id)) refuse(decoding, `${shown(id)} is not a valid package id`)
  if (from === 'string' && decoding.minor >= 2 && !stablePackages.has(id)) {
    refuse(decoding, `LF 2.${decoding.minor} refers to packages through its imports, but ${id} is named directly`)
  }
  return id
}

function importAt(decoding: Decoding, index: number): string {
  if (decoding.minor < 2) refuseVersion(decoding, 'a package import')
  const { imports } = decoding
  if (imports === undefined) return refuse(decoding, 'a package import is used, but the package declares no imports')
  return imports[index] ?? refuseIndex(decoding, 'package import', index, imports.length)
}

function moduleIn(decoding: Decoding, from: PackageReference, name: number): ModuleReference {
  const known = from.modules.get(name)
  if (known !== undefined) return known
  const reference = { packageId: from.packageId, module: dottedNameAt(decoding, name), identifiers: new Map() }
  from.modules.set(name, reference)
  return reference
}

function identifierIn(decoding: Decoding, module: ModuleReference, name: number): Identifier {
  const known = module.identifiers.get(name)
  if (known !== undefined) return known
  const id = { packageId: module.packageId, module: module.module, name: dottedNameAt(decoding, name) }
  module.identifiers.set(name, id)
  return id
}
