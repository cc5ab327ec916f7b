// The controls of a development node: time, snapshots, faults and participants. The page asks before anything is lost.
import { PageHead } from '../parts/page-head.tsx'
import { Faults } from './controls-faults.tsx'
import { NetworkPanel } from './controls-network.tsx'
import { Snapshots } from './controls-snapshots.tsx'
import { TimePanel } from './controls-time.tsx'

export function ControlsPage() {
  return (
    <>
      <PageHead title="Controls" note="Move the time, keep copies of the ledger, and order faults" />
      <div class="stack">
        <TimePanel />
        <Snapshots />
        <Faults />
        <NetworkPanel />
      </div>
    </>
  )
}
