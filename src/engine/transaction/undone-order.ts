// In what order the reference engine lists what a rollback would undo. It keeps nodes in sets and maps of Scala, and
// errors show their order.
import { hashOfBytes, hashOfFlag, hashOfProduct, hashOfText } from '../../base/scala-hashes.ts'
import { inMapOrder } from '../../base/scala-order.ts'
import { hashOfIdentifier } from '../../lf/syntax/names.ts'
import type { Create, Exercise, NodeTree } from './nodes.ts'

export type UndoneNode = Create | Exercise<NodeTree>

/** The nodes since the mark: archives and creates apart, each with all that came before, in the order they happened. */
export function inReferenceOrder(
  archives: readonly UndoneNode[],
  creates: readonly UndoneNode[],
  isUndone: (node: UndoneNode) => boolean,
): readonly UndoneNode[] {
  const listed = (nodes: readonly UndoneNode[]) =>
    inMapOrder(nodes, ({ contractId }) => hashOfContractId(contractId)).filter(isUndone)
  return inMapOrder([...listed(archives), ...listed(creates)], hashOfNode)
}

function hashOfNode(node: UndoneNode): number {
  const [contract, template] = [hashOfContractId(node.contractId), hashOfIdentifier(node.templateId)]
  if (node.kind === 'create') return hashOfProduct('Create', contract, template)
  return hashOfProduct('Exercise', contract, template, hashOfText(node.choice), hashOfFlag(node.isByKey))
}

/** Of version 1: a zero byte, a hash of 32 bytes and the suffix. */
function hashOfContractId(id: string): number {
  const bytes = Buffer.from(id, 'hex')
  return hashOfProduct('V1', hashOfBytes(bytes.subarray(1, 33)), hashOfBytes(bytes.subarray(33)))
}
