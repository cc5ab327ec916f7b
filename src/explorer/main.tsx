// The explorer's entry: signs in and shows the frame.
import { render } from 'preact'
import { Frame } from './frame/frame.tsx'
import { followFork } from './state/fork.ts'
import { followLedgerEnd } from './state/ledger.ts'
import { followNetwork } from './state/network.ts'
import { followTabs, startSession } from './state/session.ts'
import { listenForShortcuts } from './state/shortcuts.ts'
import { followVisits } from './state/visits.ts'

listenForShortcuts()
followLedgerEnd()
followNetwork()
followFork()
followTabs()
followVisits()
render(<Frame />, document.getElementById('explorer')!)
void startSession()
