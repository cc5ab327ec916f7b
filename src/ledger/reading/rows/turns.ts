// Long reads yield to other work: an in-process store answers at once, so nothing else would run until they end.
import { setImmediate } from 'node:timers/promises'

export async function nextTurn(): Promise<void> {
  await setImmediate()
}
