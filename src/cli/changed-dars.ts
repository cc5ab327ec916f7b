// Tells a command when DAR files were built again.
import type { Clock } from '../base/clock.ts'
import { changingFile, lookMs } from '../lf/dar/changing-file.ts'

/** First at once, with no file; then with those that have changed, also while the reader was busy. Ends with the signal. */
export async function* changesOf(
  files: readonly string[],
  signal: AbortSignal,
  clock: Clock,
): AsyncGenerator<readonly string[], void> {
  const changing = new Map(files.map((file) => [file, changingFile(file, clock)]))
  for (const file of changing.values()) await file.take()
  let changed: string[] = []
  while (!signal.aborted) {
    yield changed
    do {
      await nextLook(signal, clock)
      changed = []
      for (const [file, each] of changing) if (await each.hasChanged()) changed.push(file)
    } while (changed.length === 0 && !signal.aborted)
    for (const file of changed) await changing.get(file)!.take()
  }
}

/** Settles early when the signal aborts. */
async function nextLook(signal: AbortSignal, clock: Clock): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = clock.after(lookMs, resolve)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  timer.cancel()
}
