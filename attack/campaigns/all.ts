// Every campaign, in the order in which they run.
import type { Campaign } from '../campaign.ts'
import { clients } from './clients.ts'
import { fuzzing } from './decoders.ts'
import { hostileBodies } from './hostile-bodies.ts'
import { kills } from './kills.ts'

export const campaigns: readonly Campaign[] = [...kills, hostileBodies, ...clients, ...fuzzing]
