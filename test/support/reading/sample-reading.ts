// The reading side over a sample ledger, with its own clock and made-up views.
import { Default } from 'typebox/value'
import { createTestClock } from '../../../src/base/clock.ts'
import { type Settings, settingsSchema } from '../../../src/base/settings.ts'
import { createActiveContracts } from '../../../src/ledger/reading/active-contracts.ts'
import { createReadingCaches } from '../../../src/ledger/reading/caches.ts'
import { createCompletions } from '../../../src/ledger/reading/completions.ts'
import { createContractEvents } from '../../../src/ledger/reading/contract-events.ts'
import type { ReadingParts } from '../../../src/ledger/reading/reading-parts.ts'
import type { Elements, ViewRequest, ViewResult } from '../../../src/ledger/reading/requests/queries.ts'
import { createUpdates } from '../../../src/ledger/reading/updates.ts'
import type { Store } from '../../../src/store/core/store.ts'
import { sampleContents } from './sample-formats.ts'
import { createSampleLedger, synchronizerIdOf } from './sample-ledger.ts'
import { createSampleReassignments } from './sample-reassignments.ts'

export const sampleLimits = (Default(settingsSchema, {}) as Settings).limits
export const never = new AbortController().signal

export function createSampleReading(store: Store, change: Partial<ReadingParts> = {}) {
  const ledger = createSampleLedger(store)
  const clock = createTestClock(1_700_000_000_000)
  const viewRequests: ViewRequest[] = []
  const views = async (requests: readonly ViewRequest[]) => {
    viewRequests.push(...requests)
    return requests.map(sampleView)
  }
  const parts: ReadingParts = {
    store,
    end: ledger.end,
    names: ledger.names,
    async contents(check) {
      check?.(sampleContents)
      return sampleContents
    },
    synchronizerIds: synchronizerIdOf,
    participantId: 'participant::1220',
    limits: sampleLimits,
    clock,
    caches: createReadingCaches({ store, views }),
    ...change,
  }
  return {
    parts,
    ledger,
    ...createSampleReassignments(store, ledger),
    clock,
    viewRequests,
    updates: createUpdates(parts),
    activeContracts: createActiveContracts(parts),
    contractEvents: createContractEvents(parts),
    completions: createCompletions(parts),
  }
}

export async function collect(elements: Elements): Promise<Json[]> {
  const found: Json[] = []
  for await (const some of elements) found.push(...some.map(parsed))
  return found
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes.
export type Json = any

export function parsed(text: string): Json {
  return JSON.parse(text)
}

/** As Daml code would choose it. */
const chosen = { category: 'Invalid', context: { error_id: 'no-view' } } as const

/** Views are the blob; one that ends in "broken" fails. */
function sampleView({ blob }: ViewRequest): ViewResult {
  const text = Buffer.from(blob).toString()
  return text.endsWith('broken')
    ? { kind: 'failed', code: 'DAML_FAILURE', message: 'Interpretation error: Error: no view', details: chosen }
    : { kind: 'view', json: JSON.stringify({ shows: text }) }
}
