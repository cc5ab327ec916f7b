import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import type { CheckedDar } from '../packages/checked-dars.ts'
import { type PackageRole, spliceReleases } from '../packages/releases.ts'
import { uploadPackages } from './packages.ts'

const [release] = spliceReleases
const idOf = (role: PackageRole) => release!.packages[role].packageId
const rolesOf = Object.keys(release!.packages) as PackageRole[]

/** A participant that has these packages, and gets with each upload what it contains. */
function participantWith(
  known: readonly PackageRole[],
  contents: Readonly<Record<string, readonly PackageRole[]>> = {},
) {
  const ids = new Set(known.map(idOf))
  const uploads: string[] = []
  let refusals = 0
  const participant = {
    async call(method: string, path: string, body?: Uint8Array) {
      if (method === 'GET') return { packageIds: [...ids] }
      if (refusals > 0) {
        refusals -= 1
        throw new ParticipantRefusal(503, 'UNKNOWN', 'busy')
      }
      const role = Buffer.from(body!).toString() as PackageRole
      uploads.push(`${role} ${path}`)
      for (const one of [role, ...(contents[role] ?? [])]) ids.add(idOf(one))
      return {}
    },
  } as unknown as Participant
  return { participant, uploads, refuse: (count: number) => (refusals = count) }
}

let reads = 0
const splice = {
  release: release!,
  dars: async () => {
    reads += 1
    return rolesOf.map((role): CheckedDar => ({ role, package: release!.packages[role], bytes: Buffer.from(role) }))
  },
}

test('a participant gets what it lacks, on the synchronizer of Amulet', async () => {
  const { participant, uploads } = participantWith(['validatorLifecycle'], { wallet: ['amulet', 'walletPayments'] })
  await uploadPackages(participant, 'app-user', splice, 'global-domain::1220')
  const query = '/v2/packages?synchronizerId=global-domain%3A%3A1220'
  assert.deepEqual(uploads, [`wallet ${query}`, `amuletNameService ${query}`])
})

test('only the super validator gets the rules of the DSO', async () => {
  const { participant, uploads } = participantWith([], { dsoGovernance: rolesOf.filter((role) => role !== 'wallet') })
  await uploadPackages(participant, 'sv', splice, 'g')
  assert.deepEqual(
    uploads.map((upload) => upload.split(' ')[0]),
    ['dsoGovernance', 'wallet'],
  )
})

test('a participant that has everything needs no DARs', async () => {
  const before = reads
  await uploadPackages(participantWith(rolesOf).participant, 'sv', splice, 'g')
  assert.equal(reads, before)
})

test('an upload that a busy participant did not finish is repeated, but not forever', async () => {
  const some = rolesOf.filter((role) => role !== 'wallet')
  const busy = participantWith(some)
  busy.refuse(3)
  await uploadPackages(busy.participant, 'sv', splice, 'g')
  assert.equal(busy.uploads.length, 1)
  const stuck = participantWith(some)
  stuck.refuse(1000)
  await assert.rejects(uploadPackages(stuck.participant, 'sv', splice, 'g'), /busy/)
})
