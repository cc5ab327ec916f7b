// Where a contract is, and moving it to another synchronizer.
import { useSignal } from '@preact/signals'
import type { FoundContract } from '../api/contract-read.ts'
import { type ConnectedSynchronizer, readSynchronizers } from '../api/ledger-reads.ts'
import { moveContract, readPlace } from '../api/moving.ts'
import type { CreatedEvent } from '../api/wire.ts'
import { Button } from '../parts/button.tsx'
import { SelectField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { hintOf } from '../parts/names.tsx'
import { ledgerEnd, refreshLedgerEnd } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { navigate, pathTo } from '../state/location.ts'
import { referenceTo } from '../state/packages.ts'
import { eventFormat, filtersOf, templateFilter } from '../state/party-view.ts'
import { mayActAs, session } from '../state/session.ts'

/** Nothing where there is one synchronizer only, or nobody to move it. */
export function ContractMove({ event, creation }: Pick<FoundContract, 'event' | 'creation'>) {
  const isMoving = useSignal(false)
  const source = useLoaded(
    async (signal) => {
      const format = eventFormat(formatOf(event))
      return (await readPlace(event.contractId, creation?.offset, format, signal)) ?? creation?.synchronizerId
    },
    [event.contractId, ledgerEnd.value],
  ).value.value
  const places = useLoaded(readSynchronizers, []).value.value ?? []
  const targets = places.filter(({ synchronizerId }) => synchronizerId !== source)
  const movers = [...event.signatories, ...(event.observers ?? [])].filter(mayActAs)
  if (source === undefined || targets.length === 0 || movers.length === 0) return null
  return (
    <>
      <Button
        icon="move"
        onClick={() => {
          isMoving.value = true
        }}
      >
        Move
      </Button>
      {isMoving.value && (
        <MoveDialog
          event={event}
          source={source}
          targets={targets}
          movers={movers}
          onClose={() => {
            isMoving.value = false
          }}
        />
      )}
    </>
  )
}

const formatOf = ({ templateId, packageName }: CreatedEvent) =>
  filtersOf(templateFilter(referenceTo(templateId, packageName)))

type Props = {
  readonly event: CreatedEvent
  readonly source: string
  readonly targets: readonly ConnectedSynchronizer[]
  readonly movers: readonly string[]
  readonly onClose: () => void
}

function MoveDialog({ event, source, targets, movers, onClose }: Props) {
  const target = useSignal(targets[0]!.synchronizerId)
  const submitter = useSignal(movers[0]!)

  async function move(): Promise<void> {
    const { offset } = await moveContract({
      contractId: event.contractId,
      source,
      target: target.value,
      submitter: submitter.value,
      userId: session.peek().userId ?? 'explorer',
    })
    await refreshLedgerEnd()
    navigate(pathTo('updates', offset))
  }

  return (
    <FormDialog title="Move the contract" action="Move" onSubmit={move} onClose={onClose}>
      <p>
        It is on <b>{hintOf(source)}</b>. It is unassigned there, and assigned at its target.
      </p>
      <SelectField
        label="To"
        value={target.value}
        options={targets.map((one) => [one.synchronizerId, one.synchronizerAlias])}
        onChange={(next) => {
          target.value = next
        }}
      />
      <SelectField
        label="As"
        value={submitter.value}
        options={movers.map((party) => [party, hintOf(party)])}
        onChange={(next) => {
          submitter.value = next
        }}
      />
    </FormDialog>
  )
}
