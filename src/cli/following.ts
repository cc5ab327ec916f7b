// Streams that a command follows until Ctrl-C, or until nobody reads its output.
import type { Surroundings } from './command.ts'

export async function followUntilStopped(
  { untilStopped, outputClosed }: Surroundings,
  stream: (signal: AbortSignal) => AsyncIterable<string>,
  show: (element: string) => void,
): Promise<void> {
  const stopping = new AbortController()
  void Promise.race([untilStopped(), outputClosed]).then(() => stopping.abort())
  for await (const element of stream(stopping.signal)) show(element)
}
