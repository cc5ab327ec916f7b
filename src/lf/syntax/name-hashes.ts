// Hash codes of names, as the reference computes them: base/scala-order.ts says why we need them.
import { hashOfProduct, hashOfSequence, hashOfText } from '../../base/scala-hashes.ts'
import type { Identifier } from './ast.ts'

export function hashOfDottedName(name: string): number {
  return hashOfSequence(name.split('.').map(hashOfText))
}

export function hashOfIdentifier({ packageId, module, name }: Identifier): number {
  const qualified = hashOfProduct('QualifiedName', hashOfDottedName(module), hashOfDottedName(name))
  return hashOfProduct('FullReference', hashOfText(packageId), qualified)
}
