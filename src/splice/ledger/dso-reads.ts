// What everybody may know of the DSO: its rules, its rounds, and what its parties hold. Read as the DSO, on the participant of its
// super validator; that is what Splice's scan does.
import { createQueue } from '../../base/queue.ts'
import { createDsoHistory, type DsoHistory } from './dso-history.ts'
import { type Contract, contractFrom, type Json, type Participant, ParticipantRefusal } from './participant.ts'
import { templates } from './templates.ts'

export type DsoReads = {
  /** All active contracts of a template that the DSO sees. */
  all(template: string): Promise<Contract[]>
  /** The only one, such as the rules; undefined before the DSO is founded. */
  only(template: string): Promise<Contract | undefined>
  /** By contract id; undefined if it is not active. */
  byId(template: string, contractId: string): Promise<Contract | undefined>
  /** The newest round that is open at this time. */
  usableRound(nowMs: number): Promise<Contract | undefined>
  readonly history: DsoHistory
}

/** Updates that are followed. After more, active contracts are read anew. */
const updatesMax = 200

/** By contract id, oldest first. */
type Contracts = Map<string, Contract>

/** Where the DSO is not founded, it has no contracts: not even their packages are there. */
export function createDsoReads(participant: Participant, dso: string, isFounded: boolean): DsoReads {
  /** Contracts of the templates that somebody has asked for, at `offset`. Anybody may ask, so only what has changed is read. */
  const followed = new Map<string, Contracts>()
  let offset = 0
  const inOrder = createQueue()
  let waiting: Promise<void> | undefined

  /** Those who ask before it begins share it. */
  function upToDate(): Promise<void> {
    waiting ??= inOrder(() => {
      waiting = undefined
      return catchUp()
    })
    return waiting
  }

  async function catchUp(): Promise<void> {
    const end = await participant.end()
    if (end === offset) return
    if (followed.size > 0 && !(await follow(end))) followed.clear()
    offset = end
  }

  /** False if there is too much to follow. */
  async function follow(end: number): Promise<boolean> {
    const cumulative = [...followed.keys()].map((templateId) => ({
      identifierFilter: { TemplateFilter: { value: { templateId, includeCreatedEventBlob: true } } },
    }))
    const eventFormat = { filtersByParty: { [dso]: { cumulative } }, verbose: false }
    const includeTransactions = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' }
    const range = { beginOffsetExclusive: offset, endOffsetInclusive: end, maxPageSize: updatesMax }
    const page = await participant
      .call('POST', '/v2/updates/get-updates-page', { ...range, updateFormat: { includeTransactions } })
      .catch(unlessRefused)
    if (page === undefined || page.nextPageToken) return false
    for (const { update } of page.updates) apply(update.Transaction.value)
    return true
  }

  function apply({ events, synchronizerId }: Json): void {
    for (const { CreatedEvent: created, ArchivedEvent: archived } of events) {
      const { contractId, templateId, packageName } = created ?? archived
      const contracts = followed.get(`#${packageName}${templateId.slice(templateId.indexOf(':'))}`)!
      if (created === undefined) contracts.delete(contractId)
      else contracts.set(contractId, contractFrom(created, synchronizerId))
    }
  }

  async function begin(template: string): Promise<Contracts> {
    const known = followed.get(template)
    if (known !== undefined) return known
    const active = await participant.contracts(template, [dso], offset)
    const contracts: Contracts = new Map(active.map((contract) => [contract.contractId, contract]))
    followed.set(template, contracts)
    return contracts
  }

  async function contractsOf(template: string): Promise<Contracts> {
    if (!isFounded) return new Map()
    await upToDate()
    return followed.get(template) ?? inOrder(() => begin(template))
  }

  const all = async (template: string): Promise<Contract[]> => [...(await contractsOf(template)).values()]

  return {
    all,
    only: async (template) => (await all(template))[0],
    byId: async (template, id) => (await contractsOf(template)).get(id),
    async usableRound(nowMs) {
      const rounds = await all(templates.openMiningRound)
      return rounds
        .filter(({ payload }) => Date.parse(payload.opensAt) <= nowMs)
        .toSorted((one, other) => roundOf(other) - roundOf(one))[0]
    },
    history: createDsoHistory(participant, dso),
  }
}

/** Such as updates that were pruned meanwhile. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ParticipantRefusal)) throw error
}

/** The number of a round. */
export function roundOf({ payload }: Contract): number {
  return Number(payload.round.number)
}
