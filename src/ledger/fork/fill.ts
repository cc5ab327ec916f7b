// Fills a new ledger with the state of its original, before it is opened: packages and what is vetted, parties, active
// contracts. Afterwards it is a ledger that ends, and is pruned, at the original's offset; its first command gets the next.
import type { Clock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Store, TransactionRecords } from '../../store/core/store.ts'
import { createNames } from '../model/name-numbers.ts'
import type { Synchronizers } from '../model/synchronizers.ts'
import type { Packages } from '../packages/packages.ts'
import type { createVetting } from '../packages/vetting.ts'
import { type ForkRecord, writeForkRecord } from './fork-record.ts'
import { writeContracts } from './imported-contracts.ts'
import { uploadPackages } from './imported-packages.ts'
import type { Original, OriginalContract } from './original.ts'

export type FillingParts = {
  readonly store: Store
  readonly packages: Pick<Packages, 'upload' | 'list'>
  readonly vetting: Pick<ReturnType<typeof createVetting>, 'list' | 'update'>
  readonly synchronizers: Pick<Synchronizers, 'all'>
  readonly clock: Clock
  readonly log: Log
}

/** Contracts that one transaction writes. */
const contractsAtOnce = 500
const progressEveryMs = 2_000
const namesMax = 100_000

/** Goes on where an earlier start was cut off. */
export async function fillFork(original: Original, begun: ForkRecord, parts: FillingParts): Promise<void> {
  checkSame(begun, original)
  await uploadPackages(original, parts)
  await vetPackages(original, parts)
  await hostParties(await original.knownParties(), parts)
  await importContracts(original, begun, parts)
}

/** The rest of a fork must come from where its beginning came from. */
function checkSame(begun: ForkRecord, { participantId, offset, parties }: Original): void {
  const isSame =
    begun.participantId === participantId &&
    begun.offset === offset &&
    JSON.stringify(begun.parties) === JSON.stringify(parties)
  if (!isSame) {
    throw new StartError(
      `the ledger is an unfinished fork of ${begun.participantId} at offset ${begun.offset}; go on with that, or delete it`,
    )
  }
}

/** What the original has vetted is vetted; of its packages, nothing else is. */
export async function vetPackages(
  original: Pick<Original, 'vettings' | 'packageIds'>,
  { vetting, synchronizers }: Pick<FillingParts, 'vetting' | 'synchronizers'>,
): Promise<void> {
  const theirs = new Set(await original.packageIds())
  for (const { synchronizerId, packages } of await original.vettings()) {
    if (!synchronizers.all().some(({ id }) => id === synchronizerId)) continue
    const vetted = new Set(packages.map(({ packageId }) => packageId))
    const extra = (await vettedOn(synchronizerId, vetting)).filter((id) => theirs.has(id) && !vetted.has(id))
    await vetting.update({
      changes: [
        ...packages.map(({ packageId, validFrom, validUntil }) => ({
          ...{ kind: 'vet' as const, packages: [referenceTo(packageId)], validFrom, validUntil },
        })),
        ...extra.map((id) => ({ kind: 'unvet' as const, packages: [referenceTo(id)] })),
      ],
      dryRun: false,
      synchronizerId,
      expectedSerial: undefined,
      // The original has accepted them.
      allowsIncompatibleUpgrades: true,
      allowsUnvettedDependencies: true,
    })
  }
}

const referenceTo = (packageId: string) => ({ packageId, packageName: '', packageVersion: '' })

async function vettedOn(synchronizerId: string, vetting: FillingParts['vetting']): Promise<readonly string[]> {
  const ids: string[] = []
  for (let pageToken = ''; ; ) {
    const filter = { packageIds: [], packageNamePrefixes: [], participantIds: [], synchronizerIds: [synchronizerId] }
    const page = await vetting.list({ ...filter, pageToken, pageSize: 0 })
    ids.push(...page.vettedPackages.flatMap(({ packages }) => packages.map(({ packageId }) => packageId)))
    pageToken = page.nextPageToken
    if (pageToken === '') return ids
  }
}

/** The fork hosts everybody, so that one can act for both sides of a contract. */
async function hostParties(
  parties: readonly string[],
  { store, synchronizers }: Pick<FillingParts, 'store' | 'synchronizers'>,
): Promise<void> {
  await store.transaction((records) => hostAmong(parties, records, synchronizers))
}

export async function hostAmong(
  parties: Iterable<string>,
  records: TransactionRecords,
  synchronizers: Pick<Synchronizers, 'all'>,
): Promise<void> {
  const everywhere = synchronizers.all().map(({ number }) => number)
  for (const party of parties) {
    if ((await records.parties.get(party)) !== undefined) continue
    await records.parties.insert({ party, isLocal: true, identityProviderId: '', resourceVersion: 0n, annotations: {} })
    await records.parties.host(party, everywhere)
  }
}

async function importContracts(
  original: Original,
  begun: ForkRecord,
  { store, synchronizers, clock, log }: FillingParts,
): Promise<void> {
  const { from, participantId, offset } = original
  const names = createNames(namesMax)
  const numbers = new Map(synchronizers.all().map(({ id, number }) => [id, number]))
  const numberOf = (id: string) => {
    const number = numbers.get(id)
    if (number === undefined)
      throw new StartError(`contracts of ${participantId} are on a synchronizer that it has left: ${id}`)
    return number
  }
  let record = begun
  let [batch, skipped, inTransit, toldAt]: [OriginalContract[], number, number, number] = [[], 0, 0, clock.nowMs()]

  async function write(isWhole: boolean): Promise<void> {
    const next = {
      ...record,
      contracts: record.contracts + batch.length,
      lastContractId: batch.at(-1)?.contractId ?? record.lastContractId,
      isWhole,
    }
    await store.transaction(async (records) => {
      const { state, parties: among } = await writeContracts(batch, records, names, numberOf)
      await hostAmong(among, records, synchronizers)
      const end = BigInt(offset)
      const publishedAt = BigInt(Math.floor(clock.nowMs() * 1000))
      await records.state.put(isWhole ? { ...state, end, prunedUpTo: end, publishedAt } : state)
      await writeForkRecord(records.node, next)
    })
    record = next
    batch = []
    if (isWhole || clock.nowMs() - toldAt < progressEveryMs) return
    toldAt = clock.nowMs()
    log.info({ contracts: record.contracts }, 'importing contracts')
  }

  for await (const contract of original.contracts()) {
    if (contract === 'in transit') {
      inTransit += 1
      continue
    }
    if (skipped < begun.contracts) {
      skipped += 1
      if (skipped === begun.contracts && contract.contractId !== begun.lastContractId) throw otherOrder(from)
      continue
    }
    batch.push(contract)
    if (batch.length === contractsAtOnce) await write(false)
  }
  await write(true)
  log.info({ contracts: record.contracts, offset }, `forked ${participantId}`)
  if (inTransit > 0) log.warn({ contracts: inTransit }, 'contracts between two synchronizers were left out')
}

function otherOrder(from: string): StartError {
  return new StartError(`${from} lists its contracts in another order than before; delete the ledger and fork it anew`)
}
