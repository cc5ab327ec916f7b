// The tools of a development node on the wire. All of it is ours: Canton has nothing of the kind.
import { int64, list, message, optional, text, timestamp } from './schema.ts'

export const snapshot = message('Snapshot', {
  name: text('Its name'),
  takenAt: timestamp('When it was taken'),
  offset: int64('The end of its ledger'),
  bytes: int64('Its size'),
})

export const takeSnapshotRequest = message('TakeSnapshotRequest', {
  name: text('Lower-case letters, digits, dots, dashes and underscores; a free name is chosen if it is empty'),
})

export const snapshotResponse = message('SnapshotResponse', { snapshot })

export const listSnapshotsResponse = message('ListSnapshotsResponse', {
  snapshots: list(snapshot, 'Oldest first'),
})

export const moveTimeRequest = message('MoveTimeRequest', {
  advance: text('How far, such as P1D, PT1H30M (ISO 8601), 30d, 12h, 15m or 90s'),
  set: optional(timestamp('Instead of a duration: the new time, not earlier than the present one')),
})
