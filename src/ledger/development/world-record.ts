// What a ledger remembers of its world file. Kept in the ledger, so that a snapshot remembers it as well.
import type { NodeRecords } from '../../store/core/administration-records.ts'

/** The ids of labelled contracts. */
export type Labels = Readonly<Record<string, string>>

export type WorldRecord = {
  /** Of the world that was applied last. */
  readonly digest: string
  readonly isDone: boolean
  /** Whether the ledger was empty before. */
  readonly isFirst: boolean
  /** The labels of each submission that ran, by its command id. */
  readonly submissions: Readonly<Record<string, Labels>>
}

const name = 'world'
const none: WorldRecord = { digest: '', isDone: true, isFirst: false, submissions: {} }

/** Of a new ledger that was killed before it had all of its world. Nobody has used it. */
export class UnfinishedWorld extends Error {}

export async function readWorldRecord(records: Pick<NodeRecords, 'get'>): Promise<WorldRecord> {
  const bytes = await records.get(name)
  return bytes === undefined ? none : JSON.parse(Buffer.from(bytes).toString('utf8'))
}

export function writeWorldRecord(records: Pick<NodeRecords, 'put'>, record: WorldRecord): Promise<void> {
  return records.put(name, Buffer.from(JSON.stringify(record)))
}
