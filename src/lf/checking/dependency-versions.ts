// A package may not refer to packages of a newer language version. Mirrors DependencyVersion.scala.
import type { Package } from '../syntax/ast.ts'
import { minorOf } from '../syntax/language-version.ts'
import { hashOfText, inHashOrder, inMutableOrder } from './iteration-order.ts'
import type { Signatures } from './signatures.ts'
import { ValidationError } from './validation-error.ts'

const smallMax = 4

/** `referred` holds the ids of the packages that the package refers to. */
export function checkDependencyVersions(
  described: Package,
  referred: ReadonlySet<string>,
  signatures: Signatures,
): void {
  const order = referred.size <= smallMax ? inMutableOrder : inHashOrder
  for (const id of order([...referred], hashOfText)) {
    const other = signatures.package(id)
    if (minorOf(described.languageVersion) >= minorOf(other.languageVersion)) continue
    const own = `package ${described.id} using version ${described.languageVersion}`
    const needed = `package ${id} using newer version ${other.languageVersion}`
    throw new ValidationError('EModuleVersionDependencies', '', `${own} depends on ${needed}`)
  }
}
