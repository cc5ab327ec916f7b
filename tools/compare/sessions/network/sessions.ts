// The sessions of a network, in their order: later ones use what earlier ones uploaded.
import type { Network } from '../../network.ts'
import { administrationSession } from './administration.ts'
import { awaySession, timeOutSession } from './away.ts'
import { disclosureSession } from './disclosure.ts'
import { hostingSession } from './hosting.ts'
import { keySession } from './keys.ts'
import { lockSession } from './locks.ts'
import { packageSession } from './packages.ts'
import { automaticSession, reassignmentSession } from './reassignments.ts'
import { transactionSession } from './transactions.ts'
import { viewSession } from './views.ts'

export const networkSessions: Readonly<Record<string, (network: Network) => Promise<void>>> = {
  administration: administrationSession,
  packages: packageSession,
  transactions: transactionSession,
  views: viewSession,
  disclosure: disclosureSession,
  keys: keySession,
  hosting: hostingSession,
  reassignments: reassignmentSession,
  away: awaySession,
  locks: lockSession,
  timeouts: timeOutSession,
  automatic: automaticSession,
}
