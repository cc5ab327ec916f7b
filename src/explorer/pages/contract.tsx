// One contract.
import { PageHead } from '../parts/page-head.tsx'
import type { PageProps } from '../state/page.ts'

export function ContractPage({ params }: PageProps) {
  return <PageHead title={`Contract ${params.id}`} />
}
