// Requests for the quickstart package, and what later requests need of their results.
import type { Interpretation, InterpretationRequest } from '../../../src/engine/interpreter.ts'
import type { KnownContract } from '../../../src/engine/ledger-access.ts'

/** 2026-01-01T00:00:00Z. */
const now = 1767225600000000

export function requestOf(given: Partial<InterpretationRequest>): InterpretationRequest {
  return {
    commands: [],
    actAs: ['Bank', 'Alice'],
    readAs: [],
    ledgerTime: now,
    preparationTime: now,
    seed: new Uint8Array(32).fill(7),
    participantId: 'participant',
    contracts: [],
    ...given,
  }
}

export function iouWith(fields: { readonly amount?: string; readonly observers?: readonly string[] } = {}) {
  return { issuer: 'Bank', owner: 'Alice', amount: '100', currency: 'EUR', observers: [], ...fields }
}

/** The contracts that a transaction created, as later requests pass them. */
export function createdBy({ transaction }: Interpretation): KnownContract[] {
  return transaction.nodes.flatMap((node) => (node.kind === 'create' ? [{ id: node.contractId, blob: node.blob }] : []))
}
