// Streams that a command follows until Ctrl-C, or until nobody reads its output.
import type { Surroundings } from './command.ts'

/** Aborted when the command should stop. Call it before anything is printed, because a signal may follow that at once. */
export function stopSignal({ untilStopped, outputClosed }: Surroundings): AbortSignal {
  const stopping = new AbortController()
  void Promise.race([untilStopped(), outputClosed]).then(() => stopping.abort())
  return stopping.signal
}

export async function follow(
  signal: AbortSignal,
  stream: (signal: AbortSignal) => AsyncIterable<string>,
  show: (element: string) => void,
): Promise<void> {
  if (signal.aborted) return
  for await (const element of stream(signal)) show(element)
}
