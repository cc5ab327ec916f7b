// What waits to be committed, and how much of it makes one transaction.
import type { FairQueue, Usage } from '../../base/fair-queue.ts'
import type { CommitItem, Decision } from './commit-item.ts'
import type { HostingChange } from './hosting-change.ts'

export type WaitingItem = {
  readonly kind: 'item'
  readonly item: CommitItem
  resolve(decision: Decision): void
  reject(error: unknown): void
}

export type WaitingChange = {
  readonly kind: 'change'
  readonly change: HostingChange<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

export type Waiting = WaitingItem | WaitingChange

/** Many items, or one change: a refused change must not undo others. */
export type Batch = WaitingItem[] | readonly [WaitingChange]

/** Limits of one transaction; a larger command gets its own. */
const commandsMax = 1000
const bytesMax = 1024 * 1024

export function takeBatch(waiting: FairQueue<Waiting>, usage: Usage): Batch {
  const items: WaitingItem[] = []
  const next = waiting.peek()
  if (next?.kind === 'change') {
    waiting.shift()
    usage.charge(userOf(next), sizeOf(next))
    return [next]
  }
  addWaiting(items, waiting, usage)
  return items
}

/** Adds what is waiting by now, up to the limits and the next change. */
export function addWaiting(items: WaitingItem[], waiting: FairQueue<Waiting>, usage: Usage): void {
  let bytes = bytesOf(items)
  while (items.length < commandsMax) {
    const next = waiting.peek()
    if (next === undefined || next.kind === 'change') break
    const size = sizeOf(next)
    if (items.length > 0 && bytes + size > bytesMax) break
    waiting.shift()
    usage.charge(userOf(next), size)
    items.push(next)
    bytes += size
  }
}

export function isChange(batch: Batch): batch is readonly [WaitingChange] {
  return batch[0]?.kind === 'change'
}

export function userOf(waiting: Waiting): string {
  return waiting.kind === 'change' ? waiting.change.userId : waiting.item.userId
}

export function bytesOf(batch: readonly Waiting[]): number {
  let sum = 0
  for (const waiting of batch) sum += sizeOf(waiting)
  return sum
}

export function sizeOf(waiting: Waiting): number {
  if (waiting.kind === 'change') return waiting.change.bytes
  const { item } = waiting
  if (item.kind === 'transaction') return item.served.body.length
  return item.contracts.reduce((sum, { row }) => sum + row.event.length, 0)
}
