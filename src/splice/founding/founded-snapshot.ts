// The founded ledger as a file: a new ledger begins with it instead of being founded again. It is a snapshot of a development node,
// taken and restored through its API.
import { createReadStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { writePrivateStream } from '../../base/private-files.ts'
import { type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { exists, type ValidatorPlace } from './parties.ts'

const name = 'founded'
const path = `/dev/snapshots/${name}`

/** Whether nothing was founded on this ledger yet. */
export async function isNew([first]: readonly ValidatorPlace[]): Promise<boolean> {
  return !(await exists(first!.participant, `/v2/users/${first!.profile.walletUser}`))
}

/** The ledger becomes the founded one, of its own snapshot or of the file. False if there is none, or this version cannot use it. */
export async function restoreFounded({ participant }: ValidatorPlace, file: string | undefined): Promise<boolean> {
  try {
    if (!(await hasSnapshot(participant))) {
      if (file === undefined || !existsSync(file)) return false
      await participant.call('POST', `${path}/content`, Readable.toWeb(createReadStream(file)))
    }
    await participant.call('POST', `${path}/restore`)
    return true
  } catch (error) {
    if (!(error instanceof ParticipantRefusal)) throw error
    if (file !== undefined) rmSync(file, { force: true }) // Another version wrote it.
    return false
  }
}

async function hasSnapshot(participant: Participant): Promise<boolean> {
  const { snapshots } = await participant.call('GET', '/dev/snapshots')
  return snapshots.some((one: { name: string }) => one.name === name)
}

/** Keeps the ledger as a snapshot, and as a file for new ledgers. */
export async function keepFounded(participant: Participant, file: string | undefined): Promise<void> {
  await participant.call('POST', '/dev/snapshots', { name })
  if (file === undefined) return
  mkdirSync(dirname(file), { recursive: true })
  const unfinished = `${file}.new`
  rmSync(unfinished, { force: true })
  await writePrivateStream(unfinished, await participant.download(`${path}/content`))
  renameSync(unfinished, file) // It is there as a whole or not at all.
}
