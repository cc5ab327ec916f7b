// The participants of a network: where they are connected and what waits for them; to disconnect, stop and delay them.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import {
  controlParticipant,
  type ParticipantOrder,
  type ParticipantState,
  readNetwork,
  type SynchronizerState,
} from '../api/network.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Problem } from '../parts/problem.tsx'
import { counted } from '../parts/quantities.ts'
import { type Column, Table } from '../parts/table.tsx'
import { confirm } from '../state/confirmation.ts'
import { useLive } from '../state/live-reads.ts'
import { participants } from '../state/network.ts'
import { toastError } from '../state/toasts.ts'

const shownEveryMs = 1_000

/** Nothing on a node of one participant. */
export function NetworkPanel() {
  return participants.value.length === 0 ? null : <Participants />
}

function Participants() {
  const moment = useSignal(0)
  const delayed = useSignal<ParticipantState | undefined>(undefined)
  const { value = participants.value, error } = useLive(readNetwork, [], moment.value).value

  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) moment.value += 1
    }, shownEveryMs)
    return () => clearInterval(timer)
  }, [])

  async function order(wanted: ParticipantOrder): Promise<void> {
    await controlParticipant(wanted).catch(toastError)
    moment.value += 1
  }

  async function stop(participant: string): Promise<void> {
    const text = 'It answers no request until it is resumed. Commands that it has to confirm fail after a while.'
    const title = `Stop ${participant}?`
    if (!(await confirm({ title, text, action: `Stop ${participant}`, isDangerous: true }))) return
    await order({ participant, action: 'stop' })
  }

  const columns: readonly Column<ParticipantState>[] = [
    { name: 'name', title: 'Participant', show: (one) => <Name of={one} /> },
    {
      name: 'synchronizers',
      title: 'Synchronizers',
      isWide: true,
      show: ({ participant, synchronizers }) => (
        <ul>
          {synchronizers.map((one) => (
            <li key={one.synchronizerAlias} class="row">
              <Connection of={one} />
              <Button
                kind="quiet"
                label={connectionLabel(participant, one)}
                onClick={() =>
                  void order({
                    participant,
                    action: one.isConnected ? 'disconnect' : 'connect',
                    synchronizerAlias: one.synchronizerAlias,
                  })
                }
              >
                {one.isConnected ? 'Disconnect' : 'Connect'}
              </Button>
            </li>
          ))}
        </ul>
      ),
    },
    { name: 'offset', title: 'Ledger end', isNumber: true, show: ({ offset }) => offset },
    {
      name: 'actions',
      title: <span class="unseen">Actions</span>,
      show: (one) => (
        <>
          {one.isStopped ? (
            <Button
              kind="quiet"
              label={`Resume ${one.participant}`}
              onClick={() => void order({ participant: one.participant, action: 'resume' })}
            >
              Resume
            </Button>
          ) : (
            <Button kind="quiet" label={`Stop ${one.participant}`} onClick={() => void stop(one.participant)}>
              Stop
            </Button>
          )}
          <Button
            kind="quiet"
            label={`Delay ${one.participant}`}
            onClick={() => {
              delayed.value = one
            }}
          >
            Delay
          </Button>
        </>
      ),
    },
  ]
  return (
    <section class="panel">
      <h2>Network</h2>
      <div class="panel-body stack">
        {error !== undefined && <Problem error={error} />}
        <Table caption="Participants" columns={columns} rows={value} keyOf={({ participantId }) => participantId} />
      </div>
      {delayed.value !== undefined && (
        <NewDelay
          of={delayed.value}
          onClose={() => {
            delayed.value = undefined
            moment.value += 1
          }}
        />
      )}
    </section>
  )
}

function connectionLabel(participant: string, { isConnected, synchronizerAlias }: SynchronizerState): string {
  return `${isConnected ? 'Disconnect' : 'Connect'} ${participant} ${isConnected ? 'from' : 'to'} ${synchronizerAlias}`
}

function Name({ of: { participant, participantId, isStopped, delayMs } }: { readonly of: ParticipantState }) {
  return (
    <>
      <b title={participantId}>{participant}</b> {isStopped && <Badge kind="danger">stopped</Badge>}
      {delayMs > 0 && <Badge kind="accent">{delayMs} ms later</Badge>}
    </>
  )
}

function Connection({ of: { synchronizerAlias, isConnected, waiting, lagMs } }: { readonly of: SynchronizerState }) {
  return (
    <>
      <span>{synchronizerAlias}</span>
      <Badge kind={isConnected ? 'neutral' : 'danger'}>{isConnected ? 'connected' : 'not connected'}</Badge>
      {waiting > 0 && (
        <span>
          {counted(waiting, 'update')} waiting, for {Math.round(lagMs / 1000)} s
        </span>
      )}
    </>
  )
}

function NewDelay({ of: { participant, delayMs }, onClose }: { of: ParticipantState; onClose: () => void }) {
  const ms = useSignal(String(delayMs === 0 ? 2_000 : delayMs))
  const order = () => controlParticipant({ participant, action: 'delay', delayMs: Number(ms.value) })
  return (
    <FormDialog title={`Delay ${participant}`} action="Delay" onSubmit={order} onClose={onClose}>
      <TextField
        label="Milliseconds"
        value={ms.value}
        type="number"
        note="It receives and confirms so much later; 0 ends the delay"
        onInput={(text) => {
          ms.value = text
        }}
      />
    </FormDialog>
  )
}
