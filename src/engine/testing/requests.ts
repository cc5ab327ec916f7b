// Requests for the quickstart package, and what a test does between two of them: find what is missing.

import type { KnownContract } from '../contract-source.ts'
import type { Interpretation, InterpretationRequest } from '../interpreter.ts'

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
    packagePreference: {},
    contracts: [],
    absent: [],
    keys: [],
    ...given,
  }
}

export function iouWith(fields: { readonly amount?: string; readonly observers?: readonly string[] } = {}) {
  return { issuer: 'Bank', owner: 'Alice', amount: '100', currency: 'EUR', observers: [], ...fields }
}

/** The contracts that a transaction created, as later requests bring them. */
export function createdBy(interpretation: Interpretation): KnownContract[] {
  if (interpretation.kind !== 'done') throw new Error('contracts are missing')
  return interpretation.transaction.nodes.flatMap((node) =>
    node.kind === 'create' ? [{ id: node.contractId, blob: node.blob }] : [],
  )
}
