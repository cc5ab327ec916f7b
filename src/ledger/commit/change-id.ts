// The intended ledger change: user, command id and acting parties. Submissions of one change are the same command.
import { hash } from 'node:crypto'

export type Change = { readonly userId: string; readonly commandId: string; readonly actAs: readonly string[] }

/** 32 bytes that identify the change, whatever the order of parties; `actAs` has no duplicates. */
export function changeIdOf(change: Change): Buffer {
  return hash('sha256', changeKeyOf(change), 'buffer')
}

/** No part can contain the separator, so different changes have different texts. */
export function changeKeyOf({ userId, commandId, actAs }: Change): string {
  return [userId, commandId, ...[...actAs].sort()].join('\0')
}

/** As Canton prints it in errors. */
export function changeText({ userId, commandId, actAs }: Change): string {
  return `ChangeId(${userId},${commandId},Set(${actAs.join(', ')}))`
}
