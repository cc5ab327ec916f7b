// One update, by its offset or its id.
import { readUpdate } from '../api/ledger-reads.ts'
import { summaryOf } from '../api/update-summary.ts'
import { Loading } from '../parts/empty.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import type { PageProps } from '../state/page.ts'
import { readers, updateFormat } from '../state/party-view.ts'
import { UpdateTable } from './update-table.tsx'

const trail = [['Updates', '/updates']] as const

export function UpdatePage({ params }: PageProps) {
  const id = params.id!
  const by = /^\d{1,15}$/.test(id) ? { offset: Number(id) } : { updateId: id }
  const { value, error } = useLoaded(
    (signal) => readUpdate(by, updateFormat(), signal),
    [id, readers.value?.join(), ledgerEpoch.value],
  ).value
  const title = 'offset' in by ? `Update ${id}` : 'Update'
  return (
    <>
      <PageHead title={title} trail={trail} />
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="the update" />
      ) : (
        <UpdateTable rows={[summaryOf(value.update)]} />
      )}
    </>
  )
}
