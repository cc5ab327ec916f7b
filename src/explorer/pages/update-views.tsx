// One update as each participant of the network sees it, side by side.
import { useSignal } from '@preact/signals'
import { readViews } from '../api/network.ts'
import type { Update } from '../api/wire.ts'
import { Button } from '../parts/button.tsx'
import { Loading } from '../parts/empty.tsx'
import { Time } from '../parts/names.tsx'
import { Problem } from '../parts/problem.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { participants } from '../state/network.ts'
import { ReassignmentTree } from './reassignment-events.tsx'
import { TopologyChanges } from './topology-events.tsx'
import { TransactionTree } from './transaction-events.tsx'

export function UpdateViews({ updateId }: { readonly updateId: string }) {
  return participants.value.length < 2 ? null : <Views updateId={updateId} />
}

function Views({ updateId }: { readonly updateId: string }) {
  // A participant that was away may see it later.
  const asked = useSignal(0)
  const { value, error } = useLoaded(
    async (signal) => ({ views: await readViews(updateId, signal), at: new Date().toISOString() }),
    [updateId, ledgerEpoch.value, asked.value],
  ).value
  return (
    <section class="panel" aria-label="As each participant sees it">
      <h2>As each participant sees it</h2>
      <div class="panel-body">
        {error !== undefined && <Problem error={error} />}
        {value === undefined && error === undefined && <Loading what="the views" />}
        {value !== undefined && (
          <div class="row">
            <span class="faint">
              as of <Time iso={value.at} isShort />
            </span>
            <Button
              kind="quiet"
              onClick={() => {
                asked.value += 1
              }}
            >
              Read again
            </Button>
          </div>
        )}
        <div class="views">
          {value?.views.map(({ participant, update }) => (
            <section key={participant} aria-label={participant}>
              <h3>{participant}</h3>
              {update === null ? <p class="faint">sees nothing of it</p> : <View update={update} of={participant} />}
            </section>
          ))}
        </div>
      </div>
    </section>
  )
}

function View({ update, of }: { readonly update: Update; readonly of: string }) {
  const label = `Events that ${of} sees`
  if ('Transaction' in update) return <TransactionTree transaction={update.Transaction.value} label={label} />
  if ('Reassignment' in update) return <ReassignmentTree reassignment={update.Reassignment.value} label={label} />
  return <TopologyChanges topology={update.TopologyTransaction.value} />
}
