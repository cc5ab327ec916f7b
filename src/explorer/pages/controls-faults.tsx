// Faults on order, to see how an application copes.
import { useSignal } from '@preact/signals'
import {
  cancelFault,
  effectOf,
  type Fault,
  type FaultOrder,
  orderFault,
  readFaults,
  targetOf,
} from '../api/development.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { SelectField, TextField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Problem } from '../parts/problem.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { toastError } from '../state/toasts.ts'

export function Faults() {
  const changes = useSignal(0)
  const isOrdering = useSignal(false)
  const { value, error } = useLoaded(
    (signal) => readFaults(signal),
    [changes.value, ledgerEnd.value, ledgerEpoch.value],
  ).value

  async function cancel({ id }: Fault): Promise<void> {
    await cancelFault(id).catch(toastError)
    changes.value += 1
  }

  const columns: readonly Column<Fault>[] = [
    { name: 'effect', title: 'What it does', show: effectOf },
    { name: 'target', title: 'To whom', isWide: true, show: targetOf },
    { name: 'met', title: 'Met', isNumber: true, show: ({ met }) => met },
    { name: 'struck', title: 'Struck', isNumber: true, show: ({ struck }) => struck },
    {
      name: 'cancel',
      title: <span class="unseen">Cancel</span>,
      show: (fault) => (
        <Button kind="quiet" onClick={() => void cancel(fault)}>
          Cancel
        </Button>
      ),
    },
  ]
  return (
    <section class="panel">
      <h2>Faults</h2>
      <div class="panel-body stack">
        <div class="row">
          <Button
            icon="plus"
            onClick={() => {
              isOrdering.value = true
            }}
          >
            Order a fault
          </Button>
        </div>
        {error !== undefined && <Problem error={error} />}
        {value === undefined ? (
          error === undefined && <Loading what="faults" />
        ) : value.length === 0 ? (
          <Empty icon="alert" title="No faults are on order">
            A fault refuses or delays submissions, loses their answers, or ends streams: see how your application copes.
          </Empty>
        ) : (
          <Table caption="Faults on order" columns={columns} rows={value} keyOf={({ id }) => id} />
        )}
      </div>
      {isOrdering.value && (
        <NewFault
          onClose={() => {
            isOrdering.value = false
            changes.value += 1
          }}
        />
      )}
    </section>
  )
}

type Effect = 'fail' | 'delay' | 'lose' | 'end'

const effects: readonly (readonly [Effect, string])[] = [
  ['fail', 'refuse the submission'],
  ['delay', 'delay the submission'],
  ['lose', 'commit, and lose the answer'],
  ['end', 'end all open streams'],
]

function NewFault({ onClose }: { readonly onClose: () => void }) {
  const effect = useSignal<Effect>('fail')
  const texts = useSignal({
    code: 'PARTICIPANT_BACKPRESSURE',
    ms: '1000',
    user: '',
    template: '',
    command: '',
    every: '1',
    times: '1',
  })
  const set = (change: Partial<typeof texts.value>) => {
    texts.value = { ...texts.value, ...change }
  }
  const { code, ms, user, template, command, every, times } = texts.value

  function order(): FaultOrder {
    const match = { userId: user.trim(), templateId: template.trim(), commandId: command.trim() }
    const action = {
      fail: { fail: { code: code.trim() } },
      delay: { delayMs: Number(ms) },
      lose: { loseAnswer: true },
      end: { endStreams: true },
    }[effect.value]
    return { match, every: Number(every), times: Number(times), ...action }
  }

  return (
    <FormDialog title="Order a fault" action="Order" onSubmit={() => orderFault(order())} onClose={onClose}>
      <SelectField
        label="Effect"
        value={effect.value}
        options={effects}
        onChange={(next) => {
          effect.value = next as Effect
        }}
      />
      {effect.value === 'fail' && (
        <TextField label="Error code" value={code} isMono onInput={(text) => set({ code: text })} />
      )}
      {effect.value === 'delay' && (
        <TextField label="Milliseconds" value={ms} type="number" onInput={(text) => set({ ms: text })} />
      )}
      <div class="columns tight">
        <TextField label="Every n-th submission" value={every} type="number" onInput={(text) => set({ every: text })} />
        <TextField
          label="Times"
          value={times}
          type="number"
          note="0: until it is cancelled"
          onInput={(text) => set({ times: text })}
        />
      </div>
      <TextField label="Only of user" value={user} placeholder="any" onInput={(text) => set({ user: text })} />
      <TextField
        label="Only with template"
        value={template}
        placeholder="any; Module:Template"
        onInput={(text) => set({ template: text })}
      />
      <TextField label="Only command id" value={command} placeholder="any" onInput={(text) => set({ command: text })} />
    </FormDialog>
  )
}
