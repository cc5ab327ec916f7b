// What a development node has besides its ledger: watched DARs, snapshots, faults, scripts, a journal of rejections, tokens,
// and links that sign in to the explorer.
import { adviceFor } from '../api/errors/advice.ts'
import { systemRandom } from '../base/random.ts'
import { givesHints, isDevelopment, type Settings } from '../base/settings.ts'
import type { Development } from '../ledger/development/development.ts'
import type { Faults } from '../ledger/development/faults.ts'
import { createRejections } from '../ledger/development/rejections.ts'
import type { Scripts } from '../ledger/development/scripts.ts'
import { createSignIn, type SignIn } from '../ledger/development/sign-in.ts'
import { createTokens } from '../ledger/development/tokens.ts'
import type { WatchedDars } from '../ledger/development/watched-dars.ts'
import type { FirstWorld } from '../ledger/development/world-application.ts'
import type { SnapshotShelf } from '../store/snapshots/snapshots.ts'
import type { WorldApplication } from './first-world.ts'
import type { Instruments } from './instruments.ts'
import type { ReplaceableLedger } from './replaceable-ledger.ts'
import { createLedgerSnapshots } from './snapshots.ts'
import type { TokenKeys } from './token-keys.ts'

type Parts = {
  readonly settings: Settings
  readonly tokenKeys: TokenKeys
  readonly replaceable: ReplaceableLedger
  /** Undefined if the database has no snapshots. */
  readonly shelf: SnapshotShelf | undefined
  readonly world: WorldApplication
  readonly watched: WatchedDars | undefined
  readonly signIn: SignIn
  /** Those of the network, as this participant has them. */
  readonly faults: Faults
  readonly scripts: Scripts
  readonly fork: Development['fork']
}

/** Undefined unless this is a development node. */
export function createDevelopment(parts: Parts): Development | undefined {
  const { settings, tokenKeys, replaceable, shelf, world, watched, signIn, faults, scripts, fork } = parts
  if (!isDevelopment(settings)) return undefined
  return {
    snapshots: createLedgerSnapshots({ settings, replaceable, shelf, world, watched }),
    rejections: createRejections(settings.limits, givesHints(settings) ? adviceFor : () => undefined),
    faults,
    scripts,
    tokens: createTokens(tokenKeys.signUserToken),
    signIn,
    fork,
  }
}

/** One for all participants: a link signs in wherever their node has the secret of its tokens. */
export function createNodeSignIn(
  { signSessionToken, signedOut }: TokenKeys,
  { clock }: Pick<Instruments, 'clock'>,
): SignIn {
  // Not from a seed: whoever knows that could guess the keys.
  return createSignIn({ sign: signSessionToken, forget: signedOut.add, random: systemRandom, clock })
}

type Watching = {
  readonly settings: Settings
  /** Those that the world file names. */
  readonly darsOfWorld: FirstWorld['dars']
  /** The names of the participants, in the order of their services. */
  readonly names: readonly string[]
  readonly replaceable: ReplaceableLedger
  readonly instruments: Instruments
}

/** Watches the DARs of the settings and of the world file; undefined unless the settings ask for that. */
export async function createWatchedDars(parts: Watching): Promise<WatchedDars | undefined> {
  const { settings, darsOfWorld, names, replaceable, instruments } = parts
  if (!settings.watch) return undefined
  const { clock, log } = instruments
  const { watchedDars } = await import('../ledger/development/watched-dars.ts')
  const isFor = (file: string, name: string) =>
    settings.dars.includes(file) || darsOfWorld.some((dar) => dar.file === file && (dar.participant ?? name) === name)
  const receivers = (file: string) =>
    replaceable.services().flatMap(({ ledger }, index) => (isFor(file, names[index]!) ? [ledger.packages] : []))
  const files = darsOfWorld.map(({ file }) => file)
  return watchedDars(settings, files, { receivers, clock, log })
}
