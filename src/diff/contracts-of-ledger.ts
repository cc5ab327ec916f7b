// The active contracts of a participant, read through its JSON Ledger API, as they are compared.
import { StartError } from '../base/errors.ts'
import { LedgerAway, type LedgerClient, LedgerRefusal } from '../ledger-client/ledger-client.ts'
import { offsetToRead } from '../ledger-client/offset-to-read.ts'
import { checkHosted, readableParties } from '../ledger-client/readable-parties.ts'
import type { ComparedContract } from './compared-contract.ts'

export type ComparedLedger = {
  /** Where it is, for people. */
  readonly place: string
  /** Undefined if nobody said, and it is the end. */
  readonly offset: number | undefined
  readonly contracts: AsyncIterable<ComparedContract>
}

export type Reading = {
  /** Undefined for all that may be read. */
  readonly parties: readonly string[] | undefined
  /** Undefined for the end of the ledger. */
  readonly at: number | undefined
}

type CreatedEvent = {
  readonly contractId: string
  readonly templateId: string
  readonly packageName: string
  readonly createArgument: unknown
  readonly contractKey?: unknown
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
}
/** On a synchronizer, or on its way between two. */
type Element = { readonly contractEntry: Readonly<Record<string, { readonly createdEvent?: CreatedEvent }>> }

/** Throws a StartError about what cannot be read. */
export async function openComparedLedger(client: LedgerClient, { parties, at }: Reading): Promise<ComparedLedger> {
  try {
    await checkHosted(parties ?? [], client)
    const readable = parties ?? (await readableParties(client))
    const offset = await offsetToRead(client, at, 'compared')
    return { place: client.place, offset, contracts: contractsOf(client, offset, readable) }
  } catch (error) {
    throw explained(error, client)
  }
}

function explained(error: unknown, { place }: LedgerClient): unknown {
  if (error instanceof LedgerAway) return new StartError(error.message)
  return error instanceof LedgerRefusal ? new StartError(`cannot read ${place}: ${error.message}`) : error
}

async function* contractsOf(
  client: LedgerClient,
  activeAtOffset: number,
  parties: readonly string[] | undefined,
): AsyncIterable<ComparedContract> {
  const all = { cumulative: [] }
  const eventFormat =
    parties === undefined
      ? { filtersByParty: {}, filtersForAnyParty: all, verbose: true }
      : { filtersByParty: Object.fromEntries(parties.map((party) => [party, all])), verbose: true }
  const request = { activeAtOffset, eventFormat }
  const { signal } = new AbortController()
  try {
    for await (const { element } of client.stream<Element>('/v2/state/active-contracts', request, signal)) {
      for (const { createdEvent } of Object.values(element.contractEntry)) {
        if (createdEvent !== undefined) yield comparedFrom(createdEvent)
      }
    }
  } catch (error) {
    throw explained(error, client)
  }
}

function comparedFrom(created: CreatedEvent): ComparedContract {
  const { contractId, templateId, packageName, createArgument, contractKey, signatories, observers } = created
  return {
    contractId,
    template: `#${packageName}${templateId.slice(templateId.indexOf(':'))}`,
    createArgument,
    contractKey: contractKey ?? null,
    signatories: [...signatories].sort(),
    observers: [...observers].sort(),
  }
}
