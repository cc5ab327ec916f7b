// What a registry of our tokens reads: instruments, preapprovals, what is under way, and how much there is. Anybody may ask it, so what
// has not changed is read once, and the sums of all holdings by one reader at a time.
import { decimalFrom, unitsFrom } from '../ledger/decimals.ts'
import { type Contract, type Json, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { ledgerTimeOf, tokenContracts } from './instruments.ts'
import { tokenTemplates } from './token-templates.ts'

export type TokenReads = {
  /** All active contracts of a template, each once. */
  all(template: string): Promise<Contract[]>
  /** Whether a contract of this template is active, and wanted by its payload. */
  isActive(template: string, contractId: string, isWanted: (payload: Json) => boolean): Promise<boolean>
  supplies(): Promise<Supplies>
  /** The time of the ledger, in milliseconds since 1970. */
  now(): Promise<number>
}

/** How much is held of each instrument, locked or not. */
export type Supplies = {
  /** On the clock of the ledger, as text. */
  readonly asOf: string
  of(instrument: { readonly admin: string; readonly id: string }): string
}

/** The contracts of these participants. They need a user that may read as any party. */
export function createTokenReads(participants: readonly Participant[]): TokenReads {
  const caches = participants.map((participant) => createCache(participant))
  let reading: Promise<Supplies> | undefined

  return {
    async all(template) {
      const found = (await Promise.all(caches.map((read) => read(template)))).flat()
      return [...new Map(found.map((contract) => [contract.contractId, contract])).values()]
    },
    async isActive(template, contractId, isWanted) {
      const found = await Promise.all(participants.map((participant) => activeAt(participant, template, contractId)))
      return found.some((payload) => payload !== undefined && isWanted(payload))
    },
    supplies() {
      reading ??= readSupplies(participants).finally(() => {
        reading = undefined
      })
      return reading
    },
    now: () => ledgerTimeOf(participants[0]!),
  }
}

/** Several participants see a holding, and none of the sums is kept longer than an answer needs it. */
async function readSupplies(participants: readonly Participant[]): Promise<Supplies> {
  const asOf = new Date(await ledgerTimeOf(participants[0]!)).toISOString()
  const seen = new Set<string>()
  const sums = new Map<string, bigint>()
  for (const participant of participants) {
    for (const { contractId, payload } of await tokenContracts(participant, tokenTemplates.holding)) {
      if (seen.has(contractId)) continue
      seen.add(contractId)
      const key = keyOf(payload.instrument)
      sums.set(key, (sums.get(key) ?? 0n) + unitsFrom(payload.amount)!)
    }
  }
  return { asOf, of: (instrument) => decimalFrom(sums.get(keyOf(instrument)) ?? 0n) }
}

const keyOf = ({ admin, id }: { readonly admin: string; readonly id: string }): string => `${admin} ${id}`

/** The last read of each template. */
function createCache(participant: Participant): (template: string) => Promise<Contract[]> {
  const reads = new Map<string, { readonly offset: number; readonly contracts: Promise<Contract[]> }>()
  return async (template) => {
    const offset = await participant.end()
    const last = reads.get(template)
    if (last?.offset === offset) return last.contracts
    const contracts = tokenContracts(participant, template, 'anybody', offset)
    reads.set(template, { offset, contracts })
    contracts.catch(() => reads.delete(template))
    return contracts
  }
}

async function activeAt(participant: Participant, templateId: string, contractId: string) {
  const identifierFilter = { TemplateFilter: { value: { templateId, includeCreatedEventBlob: false } } }
  const eventFormat = { filtersForAnyParty: { cumulative: [{ identifierFilter }] } }
  try {
    const request = { contractId, eventFormat }
    const { created, archived } = await participant.call('POST', '/v2/events/events-by-contract-id', request)
    return archived ? undefined : created?.createdEvent.createArgument
  } catch (error) {
    // Unknown here, of another template, or not an id at all.
    if (error instanceof ParticipantRefusal && (error.status === 404 || error.status === 400)) return undefined
    throw error
  }
}
