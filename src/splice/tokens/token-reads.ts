// What a registry of our tokens reads: instruments, preapprovals, and what is under way. Anybody may ask it, so what has not changed is
// read once.
import { decimalFrom, unitsFrom } from '../ledger/decimals.ts'
import { type Contract, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { isOf, tokenContracts } from './instruments.ts'
import { tokenTemplates } from './token-templates.ts'

export type TokenReads = {
  /** All active contracts of a template, each once. */
  all(template: string): Promise<Contract[]>
  /** Whether a contract of this template is active. */
  isActive(template: string, contractId: string, isWanted: (contract: Contract['payload']) => boolean): Promise<boolean>
  /** What is held of an instrument, locked or not. */
  supplyOf(instrument: { readonly admin: string; readonly id: string }): Promise<string>
  /** The time of the ledger, in milliseconds since 1970. */
  now(): Promise<number>
}

/** The contracts of these participants. They need a user that may read as any party. */
export function createTokenReads(participants: readonly Participant[]): TokenReads {
  const caches = participants.map((participant) => createCache(participant))

  async function all(template: string): Promise<Contract[]> {
    const found = (await Promise.all(caches.map((read) => read(template)))).flat()
    return [...new Map(found.map((contract) => [contract.contractId, contract])).values()]
  }

  return {
    all,
    async isActive(template, contractId, isWanted) {
      const found = await Promise.all(participants.map((participant) => activeAt(participant, template, contractId)))
      return found.some((payload) => payload !== undefined && isWanted(payload))
    },
    async supplyOf(instrument) {
      const holdings = (await all(tokenTemplates.holding)).map(({ payload }) => payload)
      const amounts = holdings.filter((one) => isOf(instrument, one.instrument)).map(({ amount }) => amount)
      return decimalFrom(amounts.reduce((sum, amount) => sum + unitsFrom(amount)!, 0n))
    },
    now: async () => Date.parse(await participants[0]!.time()),
  }
}

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
