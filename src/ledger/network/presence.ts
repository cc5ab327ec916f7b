// Whether a participant of a network takes part now. An administrator disconnects it from synchronizers, which the ledger
// remembers; a developer also stops or delays it, which ends with the process. Processes that share a ledger tell one
// another through it, so there it ends when somebody ends it.
import type { NodeRecords } from '../../store/core/administration-records.ts'
import type { Synchronizers } from '../model/synchronizers.ts'

export type Presence = {
  isStopped(): boolean
  /** How long it takes to receive and to confirm. */
  delayMs(): number
  /** Whether it is connected and not stopped. */
  isReachable(synchronizer: bigint): boolean
  /** A participant that is stopped receives and confirms nothing. */
  setStopped(isStopped: boolean): Promise<void>
  delay(ms: number): Promise<void>
  /** Reads what another process may have said. */
  reload(): Promise<void>
  /** Called after each change, of its connections too. */
  onChange(listener: () => void): void
}

type Said = { readonly isStopped: boolean; readonly delayMs: number }

const nothing: Said = { isStopped: false, delayMs: 0 }
const record = 'presence'

/** `shared` are the records of a ledger that several processes may serve; undefined if it is this process's alone. */
export async function loadPresence(
  synchronizers: Pick<Synchronizers, 'list' | 'onChange'>,
  shared: Pick<NodeRecords, 'get' | 'put'> | undefined,
): Promise<Presence> {
  let said = (await read()) ?? nothing
  const listeners: (() => void)[] = []
  const changed = () => {
    for (const listener of listeners) listener()
  }
  synchronizers.onChange(changed)

  async function read(): Promise<Said | undefined> {
    const stored = await shared?.get(record)
    return stored && JSON.parse(Buffer.from(stored).toString())
  }

  async function say(next: Said): Promise<void> {
    await shared?.put(record, Buffer.from(JSON.stringify(next)))
    said = next
    changed()
  }

  return {
    isStopped: () => said.isStopped,
    delayMs: () => said.delayMs,
    isReachable: (synchronizer) =>
      !said.isStopped && synchronizers.list().some(({ number }) => number === synchronizer),
    setStopped: (isStopped) => say({ ...said, isStopped }),
    delay: (delayMs) => say({ ...said, delayMs }),
    async reload() {
      const { isStopped, delayMs } = (await read()) ?? said
      if (isStopped === said.isStopped && delayMs === said.delayMs) return
      said = { isStopped, delayMs }
      changed()
    },
    onChange: (listener) => void listeners.push(listener),
  }
}
