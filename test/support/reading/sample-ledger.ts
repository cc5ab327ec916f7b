// A ledger for reader tests: transactions are written by hand and committed as the node does it.
import { hash } from 'node:crypto'
import type { CreateEvent, EventNode, ExerciseEvent, TransactionEvents } from '../../../src/engine/requests/events.ts'
import { serve } from '../../../src/engine/requests/served-transaction.ts'
import {
  listsOf,
  type StoredTopology,
  topologyName,
  topologyToText,
  transactionToText,
  updateIdKey,
} from '../../../src/events/format/stored-update.ts'
import { sharedBodyBytesMax } from '../../../src/ledger/commit/transaction-rows.ts'
import { createLedgerEnd, type LedgerEnd } from '../../../src/ledger/model/ledger-end.ts'
import { createNames, type Names } from '../../../src/ledger/model/name-numbers.ts'
import { instantToText } from '../../../src/lf/codec/time-text.ts'
import type { Records, Store } from '../../../src/store/core/store.ts'

/** Contracts are named by labels; every party named here is a stakeholder. */
type OfContract = {
  readonly contract: string
  readonly template?: string
  readonly signatories: readonly string[]
  readonly observers?: readonly string[]
}

export type SampleNode =
  | (OfContract & { readonly kind: 'create'; readonly argument?: string })
  | (OfContract & {
      readonly kind: 'exercise'
      readonly choice?: string
      readonly isConsuming: boolean
      readonly actors: readonly string[]
      readonly children?: readonly SampleNode[]
    })

export type SampleTransaction = {
  readonly actAs?: readonly string[]
  readonly commandId?: string
  readonly workflowId?: string
  /** The first one by default. */
  readonly synchronizer?: bigint
  readonly nodes: readonly SampleNode[]
}

export type SampleLedger = {
  readonly end: LedgerEnd
  readonly names: Names
  /** Publishes the transaction; returns its offset. */
  commit(transaction: SampleTransaction): Promise<bigint>
  /** The same for several. They are written at once: over a database that is a process of its own, one by one takes long. */
  commitAll(transactions: readonly SampleTransaction[]): Promise<void>
  /** Like `commit`, but does not publish yet. */
  write(transaction: SampleTransaction): Promise<bigint>
  writeAll(transactions: readonly SampleTransaction[]): Promise<bigint[]>
  /** Hosts parties on a synchronizer; returns the offset, published at once. */
  host(parties: readonly string[], synchronizer?: bigint): Promise<bigint>
  publish(offset: bigint): void
  /** The next offset, for an update that the test writes itself. */
  take(): bigint
  /** An offset without an update, such as that of a rejected command. */
  skip(): bigint
}

export const samplePackageId = 'a'.repeat(64)
export const synchronizerId = 'sync::1220'
const epoch = 1_700_000_000_000_000

export function synchronizerIdOf(number: bigint): string {
  return number === 1n ? synchronizerId : `sync${number}::1220`
}

export function contractIdOf(label: string): string {
  return `00${hash('sha256', label)}ca01${hash('sha256', `${label}!`)}`
}

export function updateIdOf(offset: bigint): string {
  return `1220${hash('sha256', String(offset))}`
}

export function blobOf(label: string): Uint8Array {
  return Buffer.from(`blob of ${label}`)
}

export function timeOf(offset: bigint): bigint {
  return BigInt(epoch) + offset * 1_000_000n
}

export function createSampleLedger(store: Store): SampleLedger {
  const end = createLedgerEnd({ offset: 0n, synchronizerTimes: [] }, 0n)
  const names = createNames(1000)
  let lastOffset = 0n
  let lastContract = 0n
  let lastName = 0n

  async function numbersOf(texts: readonly string[], records: Records): Promise<Map<string, bigint>> {
    const known = await names.numbers(texts, records.names)
    const fresh = [...new Set(texts)]
      .filter((name) => !known.has(name))
      .map((name) => {
        lastName += 1n
        return { name, number: lastName }
      })
    await records.names.insert(fresh)
    for (const { name, number } of fresh) {
      names.learn(name, number)
      known.set(name, number)
    }
    return known
  }

  function take(): bigint {
    lastOffset += 1n
    return lastOffset
  }

  /** In one transaction of the database, as the node writes what is committed at the same time. */
  async function writeAll(transactions: readonly SampleTransaction[]): Promise<bigint[]> {
    const updates = transactions.map(updateOf)
    await store.transaction(async (records) => {
      const numbers = await numbersOf(
        updates.flatMap(({ served }) => [...served.parties, ...served.templates]),
        records,
      )
      const list = (texts: readonly string[]) => `,${texts.map((text) => numbers.get(text)!).join()},`
      const templatesOf = ({ served }: SampleUpdate) => list(served.templates)
      await records.updates.insert(
        updates.map((update) => {
          const { offset, served, meta } = update
          const { body, bodyBytes } = served
          return {
            offset,
            idKey: updateIdKey(updateIdOf(offset)),
            templates: templatesOf(update),
            body,
            bodyBytes,
            meta,
          }
        }),
        updates.flatMap((update) =>
          update.served.parties.map((party) => {
            return { party: numbers.get(party)!, offset: update.offset, templates: templatesOf(update) }
          }),
        ),
      )
      const archivedAt = new Map(
        updates.flatMap(({ effects, offset }) => effects.archived.map((contractId) => [contractId, offset] as const)),
      )
      const created = updates.flatMap((update) => {
        const { served, effects, offset } = update
        const archived = new Set(effects.archived)
        return effects.created.map((contract) => {
          lastContract += 1n
          const parties = contract.stakeholders.map((position) => served.parties[position]!)
          const position = { template: numbers.get(served.templates[contract.template]!)!, number: lastContract }
          const isTransient = archived.has(contract.contractId)
          if (isTransient) archivedAt.delete(contract.contractId)
          return { contract, parties, position, offset, update, isTransient }
        })
      })
      await records.contracts.insert(
        created.map(({ contract, parties, position, offset, update: { served, synchronizer, workflowId } }) => {
          const { contractId, nodeId, pieces, blob, keyHash } = contract
          const [start, cut, end] = pieces
          const { body, bodyBytes } = served
          const isShared = bodyBytes !== undefined || body.length <= sharedBodyBytesMax
          return {
            ...position,
            contractId,
            createdOffset: offset,
            nodeId,
            synchronizer,
            workflowId,
            stakeholders: list(parties),
            keyHash,
            event: isShared ? { body, start, end } : body.subarray(start, end),
            eventCut: cut - start,
            blob,
          }
        }),
      )
      await records.contracts.activate(
        created.flatMap(({ parties, position, isTransient }) =>
          isTransient ? [] : indexRows(position, parties, numbers),
        ),
      )
      const transient = created.flatMap(({ position, offset, isTransient }) =>
        isTransient ? [{ ...position, parties: [], createdOffset: offset, archivedOffset: offset }] : [],
      )
      const states = await records.contracts.states([...archivedAt.keys()])
      const earlier = states.map(({ contractId, number, template, stakeholders, createdOffset }) => {
        const parties = [0n, ...stakeholders.split(',').filter(Boolean).map(BigInt)]
        return { number, template, parties, createdOffset, archivedOffset: archivedAt.get(contractId)! }
      })
      await records.contracts.archive([...transient, ...earlier])
      await records.contracts.deactivate(
        earlier.flatMap(({ number, template, parties }) => parties.map((party) => ({ party, template, number }))),
      )
    })
    return updates.map(({ offset }) => offset)
  }

  function updateOf({ actAs = [], commandId = '', workflowId = '', synchronizer = 1n, nodes }: SampleTransaction) {
    const offset = take()
    const { served, effects } = serve(eventsOf(nodes), Number(timeOf(offset)))
    const time = instantToText(timeOf(offset))
    const update = {
      updateId: updateIdOf(offset),
      commandId,
      workflowId,
      submitters: actAs,
      effectiveAt: time,
      recordTime: time,
      synchronizerId: synchronizerIdOf(synchronizer),
      traceContext: null,
    }
    return { offset, synchronizer, workflowId, served, effects, meta: transactionToText(update, served) }
  }

  type SampleUpdate = ReturnType<typeof updateOf>

  async function write(transaction: SampleTransaction): Promise<bigint> {
    const [offset] = await writeAll([transaction])
    return offset!
  }

  async function host(parties: readonly string[], synchronizer = 1n): Promise<bigint> {
    const offset = take()
    const update: StoredTopology = {
      kind: 'topology',
      updateId: updateIdOf(offset),
      recordTime: instantToText(timeOf(offset)),
      synchronizerId: synchronizerIdOf(synchronizer),
      traceContext: null,
      events: parties.map((party) => ({ party, participantId: 'participant::1220', permission: 'submission' })),
    }
    await store.transaction(async (records) => {
      const numbers = await numbersOf(listsOf(update), records)
      const templates = `,${numbers.get(topologyName)},`
      const idKey = updateIdKey(update.updateId)
      await records.updates.insert(
        [{ offset, idKey, templates, meta: topologyToText(update), body: new Uint8Array() }],
        [...numbers.values()].map((party) => ({ party, offset, templates })),
      )
    })
    publish(offset)
    return offset
  }

  function publish(offset: bigint): void {
    end.publish({ offset, synchronizerTimes: [{ synchronizerId, recordTime: timeOf(offset) }] })
  }

  return {
    end,
    names,
    write,
    writeAll,
    host,
    publish,
    take,
    async commit(transaction) {
      const offset = await write(transaction)
      publish(offset)
      return offset
    },
    async commitAll(transactions) {
      for (const offset of await writeAll(transactions)) publish(offset)
    },
    skip() {
      publish(take())
      return lastOffset
    },
  }
}

function indexRows(
  position: { readonly template: bigint; readonly number: bigint },
  parties: readonly string[],
  numbers: ReadonlyMap<string, bigint>,
) {
  return [0n, ...parties.map((party) => numbers.get(party)!)].map((party) => ({ ...position, party }))
}

function eventsOf(samples: readonly SampleNode[]): TransactionEvents {
  const nodes: EventNode[] = []
  const roots = samples.map((sample) => addNode(sample, [], nodes))
  return {
    nodes,
    roots,
    inputContracts: [],
    laterInput: undefined,
    keyInputs: [],
    packages: [samplePackageId],
    timeBounds: { min: 0, max: 0 },
  }
}

/** A witness of a node also witnesses its children. */
function addNode(sample: SampleNode, above: readonly string[], nodes: EventNode[]): number {
  const { contract, template = 'Main:Iou', signatories, observers = [] } = sample
  const id = nodes.length
  const stakeholders = [...new Set([...signatories, ...observers])].sort()
  const ofContract = {
    contractId: contractIdOf(contract),
    packageName: 'sample',
    templateId: `${samplePackageId}:${template}`,
    signatories: [...signatories].sort(),
    stakeholders,
    key: undefined,
  }
  if (sample.kind === 'create') {
    const event: CreateEvent = {
      ...ofContract,
      kind: 'create',
      createArgument: sample.argument ?? `{"label":"${contract}"}`,
      blob: blobOf(contract),
    }
    nodes.push({ id, lastDescendantId: id, witnesses: united(above, stakeholders), ...event })
    return id
  }
  const { actors, isConsuming, choice = 'Go', children = [] } = sample
  const witnesses = united(above, united(actors, isConsuming ? stakeholders : signatories))
  const event: Omit<ExerciseEvent, 'children'> = {
    ...ofContract,
    kind: 'exercise',
    interfaceId: undefined,
    choice,
    choiceArgument: '{}',
    exerciseResult: '{}',
    isConsuming,
    isByKey: false,
    actors: [...actors].sort(),
    choiceObservers: [],
  }
  nodes.push({ id, lastDescendantId: id, witnesses, ...event, children: [] })
  const ids = children.map((child) => addNode(child, witnesses, nodes))
  nodes[id] = { id, lastDescendantId: nodes.length - 1, witnesses, ...event, children: ids }
  return id
}

function united(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].sort()
}
