// Snapshots: take, restore, delete, download and upload; and the way back to the first start.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import {
  addSnapshot,
  deleteSnapshot,
  downloadSnapshot,
  readSnapshots,
  resetLedger,
  restoreSnapshot,
  type Snapshot,
  takeSnapshot,
} from '../api/development.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { TextField } from '../parts/fields.tsx'
import { Time } from '../parts/names.tsx'
import { Problem } from '../parts/problem.tsx'
import { bytesText } from '../parts/quantities.ts'
import { type Column, Table } from '../parts/table.tsx'
import { confirm } from '../state/confirmation.ts'
import { ledgerEpoch, ledgerReplaced, refreshLedgerEnd } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { toast, toastError } from '../state/toasts.ts'

export function Snapshots() {
  const name = useSignal('')
  const changes = useSignal(0)
  const { value, error } = useLoaded((signal) => readSnapshots(signal), [changes.value, ledgerEpoch.value]).value

  async function doing(act: () => Promise<void>, done: string): Promise<void> {
    try {
      await act()
      toast(done)
      changes.value += 1
    } catch (refusal) {
      toastError(refusal)
    }
  }

  async function replacing(act: () => Promise<void>, title: string, done: string, since: string): Promise<void> {
    const text = `Everything that happened since ${since} is lost, unless you take a snapshot now.`
    if (!(await confirm({ title, text, action: title.replace('?', ''), isDangerous: true }))) return
    await doing(async () => {
      await act()
      ledgerReplaced()
      await refreshLedgerEnd()
    }, done)
  }

  async function remove(snapshot: Snapshot): Promise<void> {
    const title = `Delete ${snapshot.name}?`
    if (!(await confirm({ title, text: 'This copy is gone then.', action: 'Delete', isDangerous: true }))) return
    await doing(() => deleteSnapshot(snapshot.name), `Deleted ${snapshot.name}`)
  }

  const columns: readonly Column<Snapshot>[] = [
    { name: 'name', title: 'Name', show: (one) => <b>{one.name}</b> },
    { name: 'taken', title: 'Taken', isWide: true, show: ({ takenAt }) => <Time iso={takenAt} /> },
    { name: 'offset', title: 'Offset', isNumber: true, show: ({ offset }) => offset },
    { name: 'size', title: 'Size', isNumber: true, show: ({ bytes }) => bytesText(bytes) },
    {
      name: 'actions',
      title: <span class="unseen">Actions</span>,
      show: (one) => (
        <>
          <Button
            kind="quiet"
            onClick={() =>
              void replacing(() => restoreSnapshot(one.name), `Restore ${one.name}?`, `Restored ${one.name}`, one.name)
            }
          >
            Restore
          </Button>
          <Button kind="quiet" onClick={() => void save(one.name).catch(toastError)}>
            Download
          </Button>
          <Button kind="quiet" onClick={() => void remove(one)}>
            Delete
          </Button>
        </>
      ),
    },
  ]
  return (
    <section class="panel">
      <h2>Snapshots</h2>
      <div class="panel-body stack">
        <form
          class="row bottom"
          onSubmit={(event) => {
            event.preventDefault()
            void doing(async () => {
              await takeSnapshot(name.value.trim())
              name.value = ''
            }, 'Took a snapshot')
          }}
        >
          <TextField
            label="Name"
            value={name.value}
            placeholder="chosen for you if empty"
            onInput={(text) => {
              name.value = text
            }}
          />
          <Button kind="primary" type="submit">
            Take a snapshot
          </Button>
          <Upload onPick={(file) => void doing(() => addSnapshot(nameOf(file), file), `Added ${nameOf(file)}`)} />
          <Button
            kind="danger"
            icon="undo"
            onClick={() => void replacing(resetLedger, 'Reset the ledger?', 'Reset', 'the first start')}
          >
            Reset to the first start
          </Button>
        </form>
        {error !== undefined && <Problem error={error} />}
        {value === undefined ? (
          error === undefined && <Loading what="snapshots" />
        ) : value.length === 0 ? (
          <Empty icon="copy" title="No snapshots yet">
            A snapshot keeps the whole ledger as it is now, to return to it later.
          </Empty>
        ) : (
          <Table caption="Snapshots" columns={columns} rows={value} keyOf={(one) => one.name} />
        )}
      </div>
    </section>
  )
}

function Upload({ onPick }: { readonly onPick: (file: File) => void }) {
  const id = useId()
  return (
    <label class="button plain" for={id}>
      Add from a file
      <input
        id={id}
        class="unseen"
        type="file"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          if (file) onPick(file)
          event.currentTarget.value = ''
        }}
      />
    </label>
  )
}

/** A snapshot's name has only some characters. */
function nameOf(file: File): string {
  return file.name
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
}

async function save(name: string): Promise<void> {
  const url = URL.createObjectURL(await downloadSnapshot(name))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}.snapshot`
  link.click()
  URL.revokeObjectURL(url)
}
