// The rules for names in a package, the order of versions, and Scala's hash codes of names, which decide on the order of
// its sets and maps (base/scala-order.ts). Mirrors Canton's IdString.scala and Ref.scala.
import { hashOfProduct, hashOfSequence, hashOfText } from '../../base/scala-hashes.ts'
import type { Identifier } from './ast.ts'

const nameLengthMax = 1000
const namePattern = /^[A-Za-z$_][A-Za-z0-9$_]*$/
const packageNamePattern = /^[A-Za-z0-9_-]{1,255}$/
const packageIdPattern = /^[A-Za-z0-9_ -]{1,64}$/
const packageVersionPattern = /^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*))*$/
const packageVersionLengthMax = 255
const versionSegmentMax = 2 ** 31 - 1

/** One segment: a variable, a field, a constructor, a choice, or one part of a dotted name. */
export const isName = (text: string): boolean => text.length <= nameLengthMax && namePattern.test(text)

/** The name of a module or a definition, its valid segments joined by dots. */
export const isDottedNameLength = (text: string): boolean => text.length <= nameLengthMax

export const isPackageName = (text: string): boolean => packageNamePattern.test(text)
export const isPackageId = (text: string): boolean => packageIdPattern.test(text)

export function isPackageVersion(text: string): boolean {
  if (text.length > packageVersionLengthMax || !packageVersionPattern.test(text)) return false
  return text.split('.').every((segment) => Number(segment) <= versionSegmentMax)
}

/** Segment by segment as numbers; a version that extends another comes after it. */
export function comparePackageVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = left[i]! - right[i]!
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

export function hashOfDottedName(name: string): number {
  return hashOfSequence(name.split('.').map(hashOfText))
}

export function hashOfIdentifier({ packageId, module, name }: Identifier): number {
  const qualified = hashOfProduct('QualifiedName', hashOfDottedName(module), hashOfDottedName(name))
  return hashOfProduct('FullReference', hashOfText(packageId), qualified)
}

/** `package-id:Module:Entity`: equal for equal identifiers. */
export const fullName = ({ packageId, module, name }: Identifier): string => `${packageId}:${module}:${name}`

/** `Module:Name@12345678`, as error texts show it. */
export const shownIdentifier = ({ packageId, module, name }: Identifier): string =>
  `${module}:${name}@${packageId.slice(0, 8)}`

/** `Module:Entity` */
export const qualifiedName = ({ module, name }: Identifier): string => `${module}:${name}`

export function isSameIdentifier(a: Identifier, b: Identifier): boolean {
  return a === b || (a.name === b.name && a.module === b.module && a.packageId === b.packageId)
}
