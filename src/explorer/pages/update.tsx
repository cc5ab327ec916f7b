// One update, by its offset or its id: what happened, to which contracts, and who sees it.
import { useEffect } from 'preact/hooks'
import { readUpdate } from '../api/ledger-reads.ts'
import { curlOf, typescriptOf } from '../api/snippets.ts'
import { eventOf } from '../api/transaction-tree.ts'
import type { Reassignment, TopologyTransaction, Transaction, Update } from '../api/wire.ts'
import { CopyButton, CopyIcon } from '../parts/copy.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Link } from '../parts/link.tsx'
import { Parties, Synchronizer, shortId, Time } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { hrefOf, pathTo } from '../state/location.ts'
import { placeElsewhere } from '../state/network.ts'
import type { PageProps } from '../state/page.ts'
import { readers, updateFormat } from '../state/party-view.ts'
import { ReassignmentEvents } from './reassignment-events.tsx'
import { TopologyEvents } from './topology-events.tsx'
import { TransactionEvents } from './transaction-events.tsx'
import { UpdateViews } from './update-views.tsx'

const trail = [['Updates', '/updates']] as const
type By = { readonly offset: number } | { readonly updateId: string }

export function UpdatePage({ params }: PageProps) {
  const id = params.id!
  const by: By = /^\d{1,15}$/.test(id) ? { offset: Number(id) } : { updateId: id }
  const { value, error } = useLoaded(
    (signal) => readUpdate(by, updateFormat(), signal),
    [id, readers.value?.join(), ledgerEpoch.value],
  ).value
  const updateId = value && bodyOf(value.update).updateId
  useEffect(() => {
    placeElsewhere.value = updateId && pathTo('updates', updateId)
    return () => {
      placeElsewhere.value = undefined
    }
  }, [updateId])
  if (value === undefined) {
    return (
      <>
        <PageHead title={'offset' in by ? `Update ${id}` : 'Update'} trail={trail} />
        {error === undefined ? <Loading what="the update" /> : <NotShown error={error} />}
      </>
    )
  }
  const { offset } = bodyOf(value.update)
  return (
    <>
      <PageHead title={`Update ${offset}`} trail={trail}>
        <Neighbours offset={offset} />
        <Copies update={value.update} by={by} />
      </PageHead>
      <div class="stack">
        <UpdateFacts update={value.update} />
        <Events update={value.update} />
        <UpdateViews updateId={updateId!} />
      </div>
    </>
  )
}

function NotShown({ error }: { readonly error: unknown }) {
  const isUnseen = (error as { code?: string }).code === 'UPDATE_NOT_FOUND'
  if (!isUnseen) return <Problem error={error} />
  return (
    <Empty icon="eye" title="There is nothing to see at this place">
      The update does not exist, or none of the parties that you read as sees any of it.
    </Empty>
  )
}

function Neighbours({ offset }: { readonly offset: number }) {
  return (
    <nav aria-label="Neighbours" class="neighbours">
      {offset > 1 && <Link to={pathTo('updates', offset - 1)}>← {offset - 1}</Link>}
      {offset < (ledgerEnd.value ?? 0) && <Link to={pathTo('updates', offset + 1)}>{offset + 1} →</Link>}
    </nav>
  )
}

function Copies({ update, by }: { readonly update: Update; readonly by: By }) {
  const path = 'offset' in by ? '/v2/updates/update-by-offset' : '/v2/updates/update-by-id'
  const request = () => ({ method: 'POST', path, body: { ...by, updateFormat: updateFormat() } }) as const
  return (
    <>
      <CopyButton
        label="Link"
        what="the link"
        text={() => location.origin + hrefOf(pathTo('updates', bodyOf(update).offset))}
      />
      <CopyButton label="JSON" what="the update as JSON" text={() => JSON.stringify(update, null, 2)} />
      <CopyButton label="curl" what="the request as curl" text={() => curlOf(request(), location.origin)} />
      <CopyButton
        label="TypeScript"
        what="the request as TypeScript"
        text={() => typescriptOf(request(), location.origin)}
      />
    </>
  )
}

/** What all kinds of updates have. */
function bodyOf(update: Update): Transaction | Reassignment | TopologyTransaction {
  if ('Transaction' in update) return update.Transaction.value
  return 'Reassignment' in update ? update.Reassignment.value : update.TopologyTransaction.value
}

function kindOf(update: Update): string {
  return 'Transaction' in update ? 'transaction' : 'Reassignment' in update ? 'reassignment' : 'topology'
}

/** Who sees some of it, of those that the reader asked for. */
function partiesOf(update: Update): readonly string[] {
  const parties = new Set<string>()
  const add = (some: readonly string[]) => some.forEach((party) => void parties.add(party))
  if ('Transaction' in update) for (const event of update.Transaction.value.events) add(eventOf(event).witnessParties)
  else if ('Reassignment' in update) {
    for (const event of update.Reassignment.value.events) {
      const of = 'JsAssignmentEvent' in event ? event.JsAssignmentEvent.createdEvent : event.JsUnassignedEvent.value
      add(of.witnessParties)
    }
  } else {
    for (const { event } of update.TopologyTransaction.value.events) {
      add(Object.values(event).map(({ value }) => value.partyId))
    }
  }
  return [...parties]
}

function UpdateFacts({ update }: { readonly update: Update }) {
  const { recordTime: time, synchronizerId, updateId } = bodyOf(update)
  const transaction = 'Transaction' in update ? update.Transaction.value : undefined
  const commandId = 'TopologyTransaction' in update ? '' : (bodyOf(update) as Transaction | Reassignment).commandId
  return (
    <section class="panel" aria-label="About the update">
      <div class="panel-body">
        <Facts
          isSpread
          facts={[
            ['Kind', kindOf(update)],
            ['Recorded', <Time key="time" iso={time} />],
            transaction !== undefined &&
              transaction.effectiveAt !== time && ['Ledger time', <Time key="time" iso={transaction.effectiveAt} />],
            commandId !== '' && [
              'Command',
              <span key="id" class="mono">
                {commandId}
              </span>,
            ],
            transaction !== undefined &&
              transaction.workflowId !== '' && [
                'Workflow',
                <span key="id" class="mono">
                  {transaction.workflowId}
                </span>,
              ],
            ['Synchronizer', <Synchronizer key="id" id={synchronizerId} />],
            [
              'Update id',
              <span key="id" class="id">
                <span class="mono" title={updateId}>
                  {shortId(updateId)}
                </span>
                <CopyIcon text={updateId} what="the update id" />
              </span>,
            ],
            ['Seen by', <Parties key="parties" ids={partiesOf(update)} />],
          ]}
        />
      </div>
    </section>
  )
}

function Events({ update }: { readonly update: Update }) {
  if ('Transaction' in update) return <TransactionEvents transaction={update.Transaction.value} />
  if ('Reassignment' in update) return <ReassignmentEvents reassignment={update.Reassignment.value} />
  return <TopologyEvents topology={update.TopologyTransaction.value} />
}
