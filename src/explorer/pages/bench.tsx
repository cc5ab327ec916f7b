// The workbench of a development node: time, snapshots and faults. What would be lost is asked for first.
import { PageHead } from '../parts/page-head.tsx'
import { Faults } from './bench-faults.tsx'
import { Snapshots } from './bench-snapshots.tsx'
import { TimePanel } from './bench-time.tsx'

export function BenchPage() {
  return (
    <>
      <PageHead title="Bench" note="Move the time, keep copies of the ledger, and order faults" />
      <div class="stack">
        <TimePanel />
        <Snapshots />
        <Faults />
      </div>
    </>
  )
}
