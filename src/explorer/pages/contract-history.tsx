// What became of a contract, update by update.
import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { continueHistory, type History, type HistoryEntry } from '../api/contract-history.ts'
import type { CreatedEvent } from '../api/wire.ts'
import { Badge, type BadgeKind } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Loading } from '../parts/empty.tsx'
import { OffsetLink, Parties, Synchronizer, Time } from '../parts/names.tsx'
import { Problem } from '../parts/problem.tsx'
import { counted } from '../parts/quantities.ts'
import { ledgerEnd } from '../state/ledger.ts'
import { useLive } from '../state/live-reads.ts'
import { referenceTo } from '../state/packages.ts'
import { eventFormat, filtersOf, readers, templateFilter } from '../state/party-view.ts'

/** Each time the ledger has grown, and when somebody asks. */
const updatesAtOnce = 400

const badges: Readonly<Record<HistoryEntry['what'], BadgeKind>> = {
  created: 'create',
  used: 'exercise',
  archived: 'archive',
  unassigned: 'move',
  assigned: 'move',
}

type Props = {
  readonly event: CreatedEvent
  /** Undefined if the participant does not have its creation. */
  readonly createdAt: number | undefined
  readonly archivedAt: number | undefined
}

export function ContractHistory({ event, createdAt, archivedAt }: Props) {
  const to = archivedAt ?? ledgerEnd.value
  const known = useRef<History>(undefined)
  const inputs = [event.contractId, archivedAt, readers.value?.join()]
  useMemo(() => {
    known.current = createdAt === undefined ? undefined : { entries: [], readUpTo: createdAt - 1 }
  }, inputs)
  const asked = useSignal(0)
  const { value, error } = useLive(
    async (signal) => {
      if (to === undefined) return undefined
      const format = eventFormat(filtersOf(templateFilter(referenceTo(event.templateId, event.packageName))))
      const transactions = { eventFormat: format, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' } as const
      const updates = { includeTransactions: transactions, includeReassignments: format }
      const range = { to, updatesMax: updatesAtOnce }
      const next = await continueHistory(event.contractId, known.current, range, updates, signal)
      if (!signal.aborted) known.current = next
      return next
    },
    inputs,
    `${to} ${asked.value}`,
  ).value
  const isBehind = value !== undefined && to !== undefined && to - value.readUpTo > updatesAtOnce
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
          {isBehind && archivedAt !== undefined && (
            <li>
              <OffsetLink offset={archivedAt} /> <Badge kind="archive">archived</Badge>
              <span class="faint">after {counted(archivedAt - value.readUpTo - 1, 'offset')} not looked through</span>
            </li>
          )}
        </ol>
        {isBehind && (
          <Button
            onClick={() => {
              asked.value += 1
            }}
          >
            Look beyond offset {value.readUpTo}
          </Button>
        )}
      </div>
    </section>
  )
}
