// Snapshots of a development node's ledger: everything that the ledger is, to return to later.
import { invalidField, LedgerError, UnusableSnapshot } from '../../base/errors.ts'
import { createQueue } from '../../base/queue.ts'
import type { ReceivedSnapshot, Snapshot, SnapshotContent } from '../../store/core/store.ts'

export type { Snapshot }

export type Snapshots = {
  /** Oldest first. */
  list(): Promise<readonly Snapshot[]>
  /** An empty name is replaced by a free one. Refuses a name that is taken. */
  take(name: string): Promise<Snapshot>
  delete(name: string): Promise<void>
  /** The ledger becomes what it was. Settles when it is served. */
  restore(name: string): Promise<void>
  /** Back to just after the first start. */
  reset(): Promise<void>
  read(name: string): Promise<SnapshotContent>
  /** Adds one that came from another node. */
  add(name: string, chunks: AsyncIterable<Uint8Array>): Promise<Snapshot>
}

/** What keeps them. */
export type SnapshotKeeper = {
  list(): Promise<readonly Snapshot[]>
  take(name: string): Promise<void>
  delete(name: string): Promise<boolean>
  /** False if there is none with this name. Throws an UnusableSnapshot before anything is changed. */
  restore(name: string): Promise<boolean>
  read(name: string): Promise<SnapshotContent | undefined>
  /** Throws an UnusableSnapshot. */
  receive(chunks: AsyncIterable<Uint8Array>): Promise<ReceivedSnapshot>
}

/** The state right after the first start. Its name cannot be given by a caller. */
export const firstState = '@first-start'

/** Also the name of a file, on file systems that ignore case as well. */
const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/

export function createSnapshots(keeper: SnapshotKeeper): Snapshots {
  const oneByOne = createQueue()

  async function list(): Promise<readonly Snapshot[]> {
    return (await keeper.list()).filter(({ name }) => name !== firstState)
  }

  async function find(name: string): Promise<Snapshot | undefined> {
    return (await list()).find((snapshot) => snapshot.name === name)
  }

  async function newName(wished: string): Promise<string> {
    const taken = new Set((await list()).map(({ name }) => name))
    if (wished === '') {
      let number = taken.size + 1
      while (taken.has(`snapshot-${number}`)) number += 1
      return `snapshot-${number}`
    }
    if (!namePattern.test(wished)) {
      const rule = 'lower-case letters, digits, dots, dashes and underscores, at most 64, the first a letter or a digit'
      throw invalidField('name', `expected ${rule}, got '${wished.slice(0, 80)}'`)
    }
    if (taken.has(wished)) {
      throw new LedgerError(
        'SNAPSHOT_ALREADY_EXISTS',
        `A snapshot '${wished}' exists; delete it, or choose another name`,
      )
    }
    return wished
  }

  return {
    list: () => oneByOne(list),
    take: (wished) =>
      oneByOne(async () => {
        const name = await newName(wished)
        await keeper.take(name)
        return (await find(name))!
      }),
    delete: (name) =>
      oneByOne(async () => {
        if ((await find(name)) === undefined) throw unknown(name)
        await keeper.delete(name)
      }),
    restore: (name) =>
      oneByOne(async () => {
        const snapshot = await find(name)
        if (snapshot === undefined) throw unknown(name)
        if (snapshot.problem !== undefined) throw unusable(name, snapshot.problem)
        if (!(await orUnusable(name, () => keeper.restore(name)))) throw unknown(name)
      }),
    reset: () =>
      oneByOne(async () => {
        if (await orUnusable(firstState, () => keeper.restore(firstState))) return
        throw new LedgerError('SNAPSHOT_NOT_FOUND', 'This ledger is older than resets: its first state was not kept')
      }),
    read: (name) =>
      oneByOne(async () => {
        const content = (await find(name)) && (await keeper.read(name))
        if (content === undefined) throw unknown(name)
        return content
      }),
    async add(wished, chunks) {
      await oneByOne(() => newName(wished)) // Refused before anything is sent.
      await using received = await orUnusable(wished, () => keeper.receive(chunks)) // Others go on meanwhile.
      // Awaited here: what was received is disposed of when this returns.
      return await oneByOne(async () => {
        const name = await newName(wished)
        await received.keep(name)
        return (await find(name))!
      })
    },
  }
}

async function orUnusable<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UnusableSnapshot ? unusable(name, error.message) : error
  }
}

/** For a node whose database has none. */
export function unavailableSnapshots(reason: string): Snapshots {
  const refuse = async () => {
    throw new LedgerError('SNAPSHOTS_UNAVAILABLE', reason)
  }
  return { list: refuse, take: refuse, delete: refuse, restore: refuse, reset: refuse, read: refuse, add: refuse }
}

function unusable(name: string, problem: string): LedgerError {
  return new LedgerError('SNAPSHOT_UNUSABLE', `The snapshot '${name}' cannot be used: ${problem}`)
}

function unknown(name: string): LedgerError {
  return new LedgerError('SNAPSHOT_NOT_FOUND', `There is no snapshot '${name.slice(0, 80)}'`)
}
