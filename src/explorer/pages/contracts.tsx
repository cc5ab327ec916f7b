// Active contracts.
import { Empty } from '../parts/empty.tsx'
import { PageHead } from '../parts/page-head.tsx'

export function ContractsPage() {
  return (
    <>
      <PageHead title="Contracts" />
      <Empty icon="file" title="Not yet" />
    </>
  )
}
