// What became of a contract, update by update.
import { useSignal } from '@preact/signals'
import { type HistoryEntry, readHistory } from '../api/contract-history.ts'
import type { CreatedEvent } from '../api/wire.ts'
import { Badge, type BadgeKind } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Loading } from '../parts/empty.tsx'
import { OffsetLink, Parties, Synchronizer, Time } from '../parts/names.tsx'
import { Problem } from '../parts/problem.tsx'
import { ledgerEnd } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { referenceTo } from '../state/packages.ts'
import { eventFormat, filtersOf, readers, templateFilter } from '../state/party-view.ts'

/** More are read when somebody asks. */
const updatesAtOnce = 1_000

const badges: Readonly<Record<HistoryEntry['what'], BadgeKind>> = {
  ...{ created: 'create', used: 'exercise', archived: 'archive', unassigned: 'move', assigned: 'move' },
}

type Props = { readonly event: CreatedEvent; readonly archivedAt: number | undefined }

export function ContractHistory({ event, archivedAt }: Props) {
  const updatesMax = useSignal(updatesAtOnce)
  const to = archivedAt ?? ledgerEnd.value
  const { value, error } = useLoaded(
    async (signal) => {
      if (to === undefined) return undefined
      const format = eventFormat(filtersOf(templateFilter(referenceTo(event.templateId, event.packageName))))
      const transactions = { eventFormat: format, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' } as const
      const updates = { includeTransactions: transactions, includeReassignments: format }
      const range = { from: event.offset, to, updatesMax: updatesMax.value }
      return readHistory(event.contractId, range, updates, signal)
    },
    [event.contractId, to, readers.value?.join(), updatesMax.value],
  ).value
  return (
    <section class="panel" aria-label="History">
      <h2>History</h2>
      <div class="panel-body">
        {error !== undefined && <Problem error={error} />}
        {value === undefined && error === undefined && <Loading what="its history" />}
        <ol class="history">
          {(value?.entries ?? []).map((entry, index) => (
            <li key={index}>
              <OffsetLink offset={entry.offset} /> <Badge kind={badges[entry.what]}>{entry.what}</Badge>
              {entry.choice !== undefined && <b>{entry.choice}</b>}
              {entry.actors !== undefined && <Parties ids={entry.actors} />}
              {entry.source !== undefined && (
                <span>
                  <Synchronizer id={entry.source} /> → <Synchronizer id={entry.target!} />
                </span>
              )}
              <span class="faint">
                <Time iso={entry.time} />
              </span>
            </li>
          ))}
        </ol>
        {value?.readUpTo !== undefined && (
          <Button
            onClick={() => {
              updatesMax.value += updatesAtOnce
            }}
          >
            Look beyond offset {value.readUpTo}
          </Button>
        )}
      </div>
    </section>
  )
}
