// The explorer's entry: signs in and shows the frame.
import { render } from 'preact'
import { Frame } from './frame/frame.tsx'
import { followLedgerEnd } from './state/ledger.ts'
import { followTabs, startSession } from './state/session.ts'
import { listenForShortcuts } from './state/shortcuts.ts'

listenForShortcuts()
followLedgerEnd()
followTabs()
render(<Frame />, document.getElementById('explorer')!)
void startSession()
