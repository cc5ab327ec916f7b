// The intended ledger change: who asks as which parties for what. Submissions of the same change are the same command.
import { createHash } from 'node:crypto'

export type Change = { readonly userId: string; readonly commandId: string; readonly actAs: readonly string[] }

/** 32 bytes that stand for the change; `actAs` is sorted and has no duplicates. */
export function changeIdOf({ userId, commandId, actAs }: Change): Buffer {
  const hash = createHash('sha256')
  // No part can contain the separator, so different changes are different texts.
  hash.update([userId, commandId, ...actAs].join('\0'))
  return hash.digest()
}

/** As Canton prints it in errors. */
export function changeText({ userId, commandId, actAs }: Change): string {
  return `ChangeId(${userId},${commandId},Set(${actAs.join(', ')}))`
}
