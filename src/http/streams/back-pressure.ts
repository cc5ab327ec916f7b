// Back-pressure: bounds the bytes that wait for a slow reader. Memory per stream is this limit and one batch.
import type { Writable } from 'node:stream'
import type { ByteAccount } from '../../base/byte-budget.ts'

const waitingBytesMax = 256 * 1024

/** Undefined if there is room; otherwise settles when there is, or when the reader is gone. */
export function room(to: Writable, signal: AbortSignal, account: ByteAccount): Promise<void> | undefined {
  if (to.writableLength < waitingBytesMax || signal.aborted || to.destroyed) return undefined
  account.sending(true)
  return new Promise((resolve) => {
    const end = () => {
      account.sending(false)
      to.off('drain', end).off('close', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    to.on('drain', end).on('close', end)
    signal.addEventListener('abort', end)
  })
}
