// Rewrites updates that older versions described by one JSON object, as ledger/stored-update.ts describes them today.
// Both forms are spelled out here: a migration must not change when the code around it does.
import { checksumOf, damagedChecksum, isWhole } from './checksum.ts'
import type { Database, Queries, Row } from './database.ts'

const perStep = 200n

/** In small transactions: a node that is stopped in the middle goes on when it starts again. */
export async function rewriteOldUpdates(database: Database): Promise<void> {
  while (await database.transaction(rewriteSome)) await new Promise<void>((resolve) => setImmediate(resolve))
}

async function rewriteSome(tx: Queries): Promise<boolean> {
  const old = await tx.query('SELECT update_offset FROM old_updates ORDER BY update_offset LIMIT $1', perStep)
  if (old.length === 0) return false
  for (const { update_offset: offset } of old) {
    const [row] = await tx.query(
      'SELECT update_offset, meta, body, checksum FROM updates WHERE update_offset = $1',
      offset!,
    )
    if (row !== undefined) await rewrite(tx, row)
  }
  await tx.query('DELETE FROM old_updates WHERE update_offset <= $1', old.at(-1)!.update_offset!)
  return true
}

/** A damaged row stays as it is, and is reported when it is read. */
async function rewrite(tx: Queries, { update_offset: offset, meta: old, body, checksum }: Row): Promise<void> {
  if (!isWhole(checksum, () => checksumOf(offset, old, body))) return
  const meta = rewritten(old as string)
  if (meta === undefined) {
    await tx.query('UPDATE updates SET checksum = $2 WHERE update_offset = $1', offset!, damagedChecksum)
  } else {
    const sum = checksumOf(offset, meta, body)
    await tx.query('UPDATE updates SET meta = $2, checksum = $3 WHERE update_offset = $1', offset!, meta, sum)
  }
}

function rewritten(meta: string): string | undefined {
  try {
    const update = JSON.parse(meta)
    return update.kind === 'reassignment' ? `reassignment\n${meta}` : transactionLines(update)
  } catch {
    return undefined
  }
}

type OldTransaction = {
  readonly updateId: string
  readonly commandId: string
  readonly workflowId: string
  readonly submitters: readonly string[]
  readonly effectiveAt: string
  readonly recordTime: string
  readonly synchronizerId: string
  readonly traceContext: unknown
  readonly externalTransactionHash?: string
  readonly parties: readonly string[]
  readonly templates: readonly string[]
  readonly events: readonly OldEvent[]
}

type OldEvent = {
  readonly kind: string
  readonly nodeId: number
  readonly template: number
  readonly witnesses: readonly number[]
  readonly stakeholders: readonly number[]
  readonly isConsuming: boolean
  readonly isDelta: boolean
  readonly ends: readonly number[]
}

function transactionLines(old: OldTransaction): string {
  const { updateId, commandId, workflowId, effectiveAt, synchronizerId, traceContext, recordTime } = old
  const { parties, templates } = old
  const outline = {
    submitters: old.submitters.map((party) => (parties.includes(party) ? parties.indexOf(party) : party)),
    parties,
    templates,
    events: old.events.map((event) => {
      const { kind, nodeId, template, witnesses, stakeholders, isConsuming, isDelta } = event
      return [kind, nodeId, template, witnesses, stakeholders, isConsuming, isDelta]
    }),
  }
  return [
    JSON.stringify({ updateId, commandId, workflowId, effectiveAt }).slice(1, -1),
    JSON.stringify({ synchronizerId, traceContext, recordTime }).slice(1, -1),
    JSON.stringify(old.externalTransactionHash ?? null),
    JSON.stringify(old.events.flatMap(({ ends }) => ends)),
    JSON.stringify(outline),
  ].join('\n')
}
