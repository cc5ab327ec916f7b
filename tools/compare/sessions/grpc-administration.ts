// Administration over gRPC: users and their rights, parties, identity providers, packages and external parties.
import { createSigner } from '../../../test/fixtures/signer.ts'
import { darFile, right, type World } from '../world.ts'
import { malformedSynchronizers, withMutations } from './grpc-mutations.ts'

const users = 'admin.UserManagementService'
const parties = 'admin.PartyManagementService'
const providers = 'admin.IdentityProviderConfigService'
const packages = 'admin.PackageManagementService'

export async function grpcAdministration(world: World): Promise<void> {
  await administration(world)
  await rightsOfAUser(world)
  await dars(world)
  await thresholds(world)
}

async function administration(world: World): Promise<void> {
  const { alice, newId, synchronizers } = world
  const id = newId('user')
  const identityProviderId = newId('idp')
  const issuer = `https://${identityProviderId}.example`
  const identityProviderConfig = { identityProviderId, issuer, jwksUrl: `${issuer}/keys`, audience: 'a' }
  const metadata = { resourceVersion: '', annotations: { a: '1' } }
  const paths = (...names: string[]) => ({ updateMask: { paths: names } })
  const moved = { sourceIdentityProviderId: '', targetIdentityProviderId: '' }
  await withMutations(world, [
    [`${users}/CreateUser`, { user: { id, primaryParty: alice, metadata }, rights: [right('CanActAs', alice)] }],
    [`${users}/GetUser`, { userId: id, identityProviderId: '' }],
    [`${users}/UpdateUser`, { user: { id, isDeactivated: true, metadata }, ...paths('is_deactivated') }],
    [`${users}/GrantUserRights`, { userId: id, rights: [right('CanReadAs', alice)], identityProviderId: '' }],
    [`${users}/RevokeUserRights`, { userId: id, rights: [right('CanReadAs', alice)], identityProviderId: '' }],
    [`${users}/ListUserRights`, { userId: id, identityProviderId: '' }],
    [`${users}/UpdateUserIdentityProviderId`, { userId: id, ...moved }],
    [`${users}/DeleteUser`, { userId: id, identityProviderId: '' }],
    [
      `${parties}/AllocateParty`,
      { partyIdHint: newId('party'), localMetadata: metadata, synchronizerId: synchronizers[0] },
    ],
    [`${parties}/GetParties`, { parties: [alice], identityProviderId: '' }],
    [
      `${parties}/UpdatePartyDetails`,
      { partyDetails: { party: alice, localMetadata: metadata }, ...paths('local_metadata') },
    ],
    [`${parties}/UpdatePartyIdentityProviderId`, { party: alice, ...moved }],
    [`${providers}/CreateIdentityProviderConfig`, { identityProviderConfig }],
    [`${providers}/GetIdentityProviderConfig`, { identityProviderId }],
    [`${providers}/UpdateIdentityProviderConfig`, { identityProviderConfig, ...paths('audience') }],
    [`${providers}/DeleteIdentityProviderConfig`, { identityProviderId }],
  ])
  const { both } = world
  for (const page of [
    { pageSize: -1 },
    { pageSize: 20_000 },
    { pageToken: 'x' },
    { pageToken: '%' },
    { pageToken: 'AAAA' },
  ]) {
    for (const method of [`${users}/ListUsers`, `${parties}/ListKnownParties`, 'PackageService/ListVettedPackages']) {
      await both.grpc(method, page, { note: JSON.stringify(page) })
    }
  }
}

/** A user has at most a thousand rights. */
async function rightsOfAUser({ both, newId, alice }: World): Promise<void> {
  const userId = newId('user')
  const namespace = alice.split('::')[1]
  const some = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => right('CanReadAs', `p${from + index}::${namespace}`))
  await both.grpc(
    `${users}/CreateUser`,
    { user: { id: newId('user') }, rights: some(0, 1001) },
    { note: '1001 rights' },
  )
  await both.grpc(`${users}/CreateUser`, { user: { id: userId }, rights: some(0, 1000) }, { note: '1000 rights' })
  await both.grpc(`${users}/GrantUserRights`, { userId, rights: some(1000, 1001) }, { note: 'one more' })
  await both.grpc(`${users}/GrantUserRights`, { userId, rights: some(0, 1) }, { note: 'one it has' })
  await both.grpc(`${users}/DeleteUser`, { userId })
}

async function dars(world: World): Promise<void> {
  const { both, synchronizers, packageIds } = world
  const dar = darFile('test/lf/effects-lf22.dar')
  const lengths = [0, 1, 4, 22, 100, 1000, Math.floor(dar.length / 2), dar.length - 22, dar.length - 1]
  for (const length of lengths) {
    const darFile = dar.subarray(0, length).toString('base64')
    for (const method of [`${packages}/UploadDarFile`, `${packages}/ValidateDarFile`]) {
      await both.grpc(method, { darFile, submissionId: 's' }, { note: `${length} bytes of a DAR` })
    }
  }
  const darFile22 = dar.toString('base64')
  // Canton has taken one that was cut off; from here on both have it.
  await both.grpc(`${packages}/UploadDarFile`, { darFile: darFile22 }, { note: 'the whole DAR' })
  for (const synchronizerId of malformedSynchronizers(world)) {
    await both.grpc(`${packages}/ValidateDarFile`, { darFile: darFile22, synchronizerId }, { note: synchronizerId })
    await both.grpc(`${packages}/UploadDarFile`, { darFile: darFile22, synchronizerId }, { note: synchronizerId })
  }
  const [packageId] = packageIds
  const vet = { Vet: { packages: [{ packageId, packageName: '', packageVersion: '' }] } }
  await withMutations(world, [
    ['PackageService/GetPackageStatus', { packageId }],
    [
      'PackageService/ListVettedPackages',
      { topologyStateFilter: { participantIds: ['x'], synchronizerIds: synchronizers } },
    ],
    [
      `${packages}/UpdateVettedPackages`,
      { changes: [{ operation: vet }], dryRun: true, synchronizerId: synchronizers[0] },
    ],
  ])
}

async function thresholds(world: World): Promise<void> {
  const { both, synchronizers, participant } = world
  const { publicKey } = createSigner()
  const method = `${parties}/GenerateExternalPartyTopology`
  const request = { synchronizer: synchronizers[0], partyHint: 'threshold', publicKey }
  const other = `other::${participant.split('::').at(-1)}`
  const rows: readonly object[] = [
    ...[0, 1, 2, 3, -1, 2 ** 31 - 1].map((confirmationThreshold) => ({ confirmationThreshold })),
    { otherConfirmingParticipantUids: [other], confirmationThreshold: 2 },
    { otherConfirmingParticipantUids: [other], confirmationThreshold: 3 },
    { otherConfirmingParticipantUids: [other] },
    { otherConfirmingParticipantUids: [other, other] },
    { otherConfirmingParticipantUids: [participant] },
    { otherConfirmingParticipantUids: ['x'] },
    { otherConfirmingParticipantUids: [`PAR::${other}`] },
    { observingParticipantUids: [other] },
    { observingParticipantUids: [participant] },
    { observingParticipantUids: [other], otherConfirmingParticipantUids: [other] },
    { localParticipantObservationOnly: true },
    { localParticipantObservationOnly: true, confirmationThreshold: 1 },
    { localParticipantObservationOnly: true, otherConfirmingParticipantUids: [other], confirmationThreshold: 1 },
    { localParticipantObservationOnly: true, otherConfirmingParticipantUids: [other], confirmationThreshold: 2 },
    ...malformedSynchronizers(world).map((synchronizer) => ({ synchronizer })),
  ]
  for (const fields of rows) await both.grpc(method, { ...request, ...fields }, { note: JSON.stringify(fields) })
  // Without a key, a thread of Canton ends, and there is no answer.
  await withMutations(world, [[method, { ...request, publicKey: undefined }]], (one) => ({ ...one, publicKey }))
  const allocation = {
    synchronizer: synchronizers[0],
    onboardingTransactions: [{ transaction: 'AAAA' }],
    multiHashSignatures: [],
  }
  await withMutations(world, [[`${parties}/AllocateExternalParty`, allocation]])
}
