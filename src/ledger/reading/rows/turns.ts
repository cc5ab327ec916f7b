// Long reads leave room for others: a store in the process answers at once, so nothing else would run until they end.
import { setImmediate } from 'node:timers/promises'

export async function nextTurn(): Promise<void> {
  await setImmediate()
}
