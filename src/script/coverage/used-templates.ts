// What was created and exercised on a ledger, whoever sees it.
import type { Call } from '../participants.ts'
import type { UsedTemplates } from './template-coverage.ts'

/** One answer holds so many; a script may have written more. */
const pageUpdates = 100

/** Everything that any party sees. */
const updateFormat = {
  includeTransactions: {
    eventFormat: {
      filtersByParty: {},
      filtersForAnyParty: {
        cumulative: [{ identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } }],
      },
      verbose: false,
    },
    transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
  },
}

type Transaction = {
  readonly offset: number
  readonly events: readonly {
    readonly CreatedEvent?: { readonly templateId: string }
    readonly ExercisedEvent?: { readonly templateId: string; readonly choice: string }
  }[]
}

export async function usedTemplates(call: Call): Promise<UsedTemplates> {
  const created = new Set<string>()
  const exercised = new Map<string, Set<string>>()
  for await (const { events } of committed(call)) {
    for (const { CreatedEvent, ExercisedEvent } of events) {
      if (CreatedEvent) created.add(CreatedEvent.templateId)
      if (!ExercisedEvent) continue
      const { templateId, choice } = ExercisedEvent
      exercised.set(templateId, (exercised.get(templateId) ?? new Set()).add(choice))
    }
  }
  return { created, exercised }
}

async function* committed(call: Call): AsyncGenerator<Transaction> {
  const path = '/v2/state/ledger-end'
  const end = await call({ participant: undefined, method: 'GET', path, body: undefined })
  const endInclusive: number = JSON.parse(end.text).offset
  for (let beginExclusive = 0; beginExclusive < endInclusive; ) {
    const { text } = await call({
      participant: undefined,
      method: 'POST',
      path: `/v2/updates?limit=${pageUpdates}`,
      body: JSON.stringify({ beginExclusive, endInclusive, updateFormat }),
    })
    const updates: { update: { Transaction?: { value: Transaction } } }[] = JSON.parse(text)
    const transactions = updates.flatMap(({ update }) => update.Transaction?.value ?? [])
    yield* transactions
    if (updates.length < pageUpdates) return
    beginExclusive = transactions.at(-1)?.offset ?? endInclusive
  }
}
