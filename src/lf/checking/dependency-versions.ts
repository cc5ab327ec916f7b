// A package may not refer to packages of a newer language version. Mirrors DependencyVersion.scala.
import { hashOfText } from '../../base/scala-hashes.ts'
import { inMapOrder, inTableOrder } from '../../base/scala-order.ts'
import type { Package } from '../syntax/ast.ts'
import { minorOf } from '../syntax/language-version.ts'
import type { Signatures } from './signatures.ts'
import { ValidationError } from './validation-error.ts'

/** `referred` holds the ids of the packages that the package refers to. */
export function checkDependencyVersions(
  described: Package,
  referred: ReadonlySet<string>,
  signatures: Signatures,
): void {
  // The reference collects them in a mutable set and copies it into an immutable one.
  for (const id of inMapOrder(inTableOrder([...referred], hashOfText), hashOfText)) {
    const other = signatures.package(id)
    if (minorOf(described.languageVersion) >= minorOf(other.languageVersion)) continue
    const own = `package ${described.id} using version ${described.languageVersion}`
    const needed = `package ${id} using newer version ${other.languageVersion}`
    throw new ValidationError('EModuleVersionDependencies', '', `${own} depends on ${needed}`)
  }
}
