// Keeps what a node remembers current while other nodes change the same ledger. A node that has its ledger to itself
// needs none of this: `sharing` is undefined then.
import type { Authenticator } from '../auth/authentication.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Drops, drop } from '../ledger/model/remembered.ts'
import type { OpenLedger } from '../ledger/open-ledger.ts'
import type { Sharing } from '../store/core/sharing.ts'
import type { PackageParts, Participant, Registers } from './ledger-parts.ts'

/** From now on the node forgets what other nodes change, and publishes what they commit. */
export async function followOthers(
  sharing: Sharing | undefined,
  { synchronizers, time }: Participant,
  { users, identityProviders, hosting, partyKeys }: Registers,
  { state }: PackageParts,
  { advance, presence }: OpenLedger,
): Promise<void> {
  const drops: Drops = {
    'users and their rights': users.forgetAll,
    'identity providers and verified tokens': identityProviders.forgetAll,
    'hosting of parties': hosting.forgetAll,
    'keys of external parties': partyKeys.forgetAll,
    'packages, vetting and their contents': state.reload,
    synchronizers: synchronizers.reload,
    'static time, and how far time is ahead': time.reload,
    'whether a participant of a network is stopped or delayed': async () => presence?.reload(),
  }
  await sharing?.follow({ drop: (changed) => drop(changed, drops), advance })
}

/** The ledger whose functions that answer from memory first learn what other nodes have changed. */
export function lookingFirst(ledger: Ledger, sharing: Sharing | undefined): Ledger {
  if (sharing === undefined) return ledger
  return {
    ...ledger,
    interactive: partLookingFirst(sharing, ledger.interactive, ['preferredPackages']),
    reassignments: partLookingFirst(sharing, ledger.reassignments, ['submit', 'submitAndWait']),
    users: partLookingFirst(sharing, ledger.users, ['get', 'rights']),
    parties: partLookingFirst(sharing, ledger.parties, ['connections']),
    packages: partLookingFirst(sharing, ledger.packages, ['upload', 'takeOver', 'validate', 'newest']),
    vetting: partLookingFirst(sharing, ledger.vetting, ['list', 'update']),
    synchronizers: partLookingFirst(sharing, ledger.synchronizers, ['setConnected']),
  }
}

function partLookingFirst<
  Name extends string,
  Part extends Readonly<Record<Name, (...request: never[]) => Promise<unknown>>>,
>(sharing: Sharing, part: Part, names: readonly Name[]): Part {
  const first =
    (name: Name) =>
    async (...request: never[]) => {
      await sharing.look()
      return part[name](...request)
    }
  return { ...part, ...Object.fromEntries(names.map((name) => [name, first(name)])) }
}

/** A node that was cut off or paused for the time of its lease first learns what others changed: rights, for example. */
export function authenticatingWhenCurrent(authenticate: Authenticator, sharing: Sharing | undefined): Authenticator {
  if (sharing === undefined) return authenticate
  return (...request) =>
    sharing.isCurrent() ? authenticate(...request) : sharing.look().then(() => authenticate(...request))
}
