// The sessions of a network, in their order: later ones use what earlier ones uploaded.
import type { Network } from '../../network.ts'
import { administrationSession } from './administration.ts'
import { awaySession } from './away.ts'
import { disclosureSession } from './disclosure.ts'
import { hostingSession } from './hosting.ts'
import { keySession } from './keys.ts'
import { packageSession } from './packages.ts'
import { reassignmentSession } from './reassignments.ts'
import { transactionSession } from './transactions.ts'
import { viewSession } from './views.ts'

export const networkSessions: Readonly<Record<string, (network: Network) => Promise<void>>> = {
  administration: administrationSession,
  packages: packageSession,
  transactions: transactionSession,
  views: viewSession,
  disclosure: disclosureSession,
  keys: keySession,
  reassignments: reassignmentSession,
  hosting: hostingSession,
  away: awaySession,
}
