// Values that examples of requests begin with, by the names of their fields: those that would work for this reader now.
import { newCommandId } from '../api/command-ids.ts'
import type { Json } from '../api/wire.ts'
import { ledgerEnd } from './ledger.ts'
import { eventFormat, maySee, updateFormat, viewedParty } from './party-view.ts'
import { session } from './session.ts'

const updatesShown = 10
/** What the reader replaces, if their token is for all parties. */
const partyToName = 'party::1220…'

export function knownValues(): ReadonlyMap<string, Json> {
  const { userId = 'explorer', actsAs, readsAs } = session.peek()
  const end = ledgerEnd.peek() ?? 0
  const own = viewedParty.peek() ?? [actsAs, readsAs].map(firstOf).find((party) => party !== undefined)
  const values = new Map<string, Json>([
    ['userId', userId],
    ['commandId', newCommandId()],
    ['activeAtOffset', end],
    ['beginExclusive', Math.max(0, end - updatesShown)],
    ['endInclusive', end],
    ['offset', end],
    ['actAs', [own ?? partyToName]],
  ])
  if (own !== undefined) values.set('party', own).set('parties', [own])
  if (maySee.peek()) {
    const format = updateFormat()
    values.set('eventFormat', eventFormat()).set('updateFormat', format)
    values.set('transactionFormat', format.includeTransactions ?? {})
  }
  return values
}

function firstOf(reach: 'any' | readonly string[]): string | undefined {
  return reach === 'any' ? undefined : reach[0]
}
