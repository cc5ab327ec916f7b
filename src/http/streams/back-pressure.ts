// How much may wait for a slow reader before nothing more is read for him: memory per stream is this and one batch.
import type { Writable } from 'node:stream'

const waitingBytesMax = 256 * 1024

/** Undefined when there is room; otherwise settles when there is, or when nobody reads any longer. */
export function room(to: Writable, signal: AbortSignal): Promise<void> | undefined {
  if (to.writableLength < waitingBytesMax || signal.aborted || to.destroyed) return undefined
  return new Promise((resolve) => {
    const end = () => {
      to.off('drain', end).off('close', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    to.on('drain', end).on('close', end)
    signal.addEventListener('abort', end)
  })
}
