// Every campaign, in the order in which they run.
import type { Campaign } from '../campaign.ts'
import { clients } from './clients.ts'
import { fuzzing } from './decoders.ts'
import { disks } from './disks.ts'
import { flippedBytes } from './flipped-bytes.ts'
import { hostileBodies } from './hostile-bodies.ts'
import { hostileCalls } from './hostile-calls.ts'
import { kills } from './kills.ts'
import { localnet } from './localnet.ts'
import { networkKills } from './network-kills.ts'
import { networkPrivacy } from './network-privacy.ts'
import { packageCampaigns } from './packages.ts'
import { postgresFaults } from './postgres.ts'
import { powerCuts } from './power-cuts.ts'
import { restores } from './restores.ts'
import { revocations } from './revocations.ts'
import { severalNodes } from './several-nodes.ts'
import { snapshotKills } from './snapshot-kills.ts'
import { strangers } from './strangers.ts'
import { strangersAtTheDoor } from './strangers-at-the-door.ts'

export const campaigns: readonly Campaign[] = [
  ...kills,
  ...networkKills,
  localnet,
  ...powerCuts,
  ...disks,
  flippedBytes,
  postgresFaults,
  severalNodes,
  ...packageCampaigns,
  hostileBodies,
  hostileCalls,
  ...clients,
  revocations,
  networkPrivacy,
  ...restores,
  snapshotKills,
  strangers,
  strangersAtTheDoor,
  ...fuzzing,
]
