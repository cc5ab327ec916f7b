// Every campaign, in the order in which they run.
import type { Campaign } from '../campaign.ts'
import { fuzzing } from './decoders.ts'
import { kills } from './kills.ts'

export const campaigns: readonly Campaign[] = [...kills, ...fuzzing]
