// The services of administrators: users, parties, identity providers, packages, pruning and time.
import { RenderedJson } from '../../api/route.ts'
import { rightToJson, userToJson } from '../../api/wire/users.ts'
import type { CommandState } from '../../ledger/inspection/tracked-command.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import type { Row } from '../method.ts'

const users = 'admin.UserManagementService'
const parties = 'admin.PartyManagementService'
const providers = 'admin.IdentityProviderConfigService'
const packages = 'admin.PackageManagementService'

const byTypes = null
const userInPath = ({ userId, identityProviderId }: { userId: string; identityProviderId: string }) => ({
  params: { 'user-id': userId },
  query: { 'identity-provider-id': identityProviderId },
})

const commandStates: Readonly<Record<string, CommandState>> = {
  COMMAND_STATE_PENDING: 'pending',
  COMMAND_STATE_SUCCEEDED: 'succeeded',
  COMMAND_STATE_FAILED: 'failed',
}

export const administrationMethods: readonly Row[] = [
  {
    method: 'admin.CommandInspectionService/GetCommandStatus',
    rightsOf: 'POST /v2/dars',
    async call({ inspection }, { commandIdPrefix, state, limit }, _permission, context) {
      const query = { commandIdPrefix, state: commandStates[state], limit: limit < 0 ? Infinity : limit }
      return new RenderedJson(await inspection.find(query, context))
    },
    isVerbose: () => true,
  },

  { method: `${users}/CreateUser`, operation: 'POST /v2/users' },
  { method: `${users}/GetUser`, operation: 'GET /v2/users/{user-id}', schema: byTypes, input: userInPath },
  {
    method: `${users}/UpdateUser`,
    operation: 'PATCH /v2/users/{user-id}',
    subject: ({ user }) => ({ identityProviderId: user?.identityProviderId ?? '' }),
    needs: ['user'],
  },
  {
    method: `${users}/DeleteUser`,
    operation: 'DELETE /v2/users/{user-id}',
    schema: byTypes,
    subject: ({ identityProviderId }) => ({ identityProviderId }),
    async call(ledger, { userId }, { identityProviderId, caller }) {
      await ledger.users.delete(userId, identityProviderId, caller)
      return {}
    },
  },
  {
    method: `${users}/ListUsers`,
    operation: 'GET /v2/users',
    schema: byTypes,
    subject: ({ identityProviderId }) => ({ identityProviderId }),
    async call(ledger, request, { identityProviderId }) {
      const { users: found, nextPageToken } = await ledger.users.list(identityProviderId, request)
      return { users: found.map(userToJson), nextPageToken }
    },
  },
  { method: `${users}/GrantUserRights`, operation: 'POST /v2/users/{user-id}/rights' },
  { method: `${users}/RevokeUserRights`, operation: 'PATCH /v2/users/{user-id}/rights' },
  {
    method: `${users}/ListUserRights`,
    operation: 'GET /v2/users/{user-id}/rights',
    schema: byTypes,
    subject: ({ userId, identityProviderId }) => ({ userId, identityProviderId }),
    async call(ledger, _request, { userId, identityProviderId }) {
      return { rights: (await ledger.users.rights(userId, identityProviderId)).map(rightToJson) }
    },
  },
  {
    method: `${users}/UpdateUserIdentityProviderId`,
    operation: 'PATCH /v2/users/{user-id}/identity-provider-id',
  },

  { method: `${parties}/GetParticipantId`, operation: 'GET /v2/parties/participant-id' },
  {
    method: `${parties}/GetParties`,
    operation: 'GET /v2/parties/{party}',
    schema: byTypes,
    input: ({ parties: [party = '', ...others] }) => ({ params: { party }, query: { parties: others } }),
    subject: ({ parties: asked, identityProviderId }) => ({ parties: asked, identityProviderId }),
    async call(ledger, request, { identityProviderId }) {
      return { partyDetails: await ledger.parties.get(request.parties, identityProviderId) }
    },
  },
  {
    method: `${parties}/ListKnownParties`,
    operation: 'GET /v2/parties',
    schema: byTypes,
    input: ({ identityProviderId, filterParty, pageSize, pageToken }) => ({
      query: { 'identity-provider-id': identityProviderId, 'filter-party': filterParty, pageSize, pageToken },
    }),
  },
  { method: `${parties}/AllocateParty`, operation: 'POST /v2/parties' },
  { method: `${parties}/AllocateExternalParty`, operation: 'POST /v2/parties/external/allocate' },
  { method: `${parties}/GenerateExternalPartyTopology`, operation: 'POST /v2/parties/external/generate-topology' },
  {
    method: `${parties}/UpdatePartyIdentityProviderId`,
    rightsOf: 'PATCH /v2/users/{user-id}/identity-provider-id',
    async call(ledger, { party, sourceIdentityProviderId, targetIdentityProviderId }) {
      await ledger.parties.moveToIdentityProvider(party, sourceIdentityProviderId, targetIdentityProviderId)
      return {}
    },
  },
  {
    method: `${parties}/UpdatePartyDetails`,
    operation: 'PATCH /v2/parties/{party}',
    subject: ({ partyDetails }) => ({ identityProviderId: partyDetails?.identityProviderId ?? '' }),
    needs: ['partyDetails'],
  },

  {
    method: `${providers}/CreateIdentityProviderConfig`,
    operation: 'POST /v2/idps',
  },
  {
    method: `${providers}/GetIdentityProviderConfig`,
    operation: 'GET /v2/idps/{idp-id}',
    schema: byTypes,
    input: ({ identityProviderId }) => ({ params: { 'idp-id': identityProviderId } }),
  },
  {
    method: `${providers}/UpdateIdentityProviderConfig`,
    operation: 'PATCH /v2/idps/{idp-id}',
    subject: () => ({}),
    needs: ['identityProviderConfig'],
  },
  { method: `${providers}/ListIdentityProviderConfigs`, operation: 'GET /v2/idps' },
  {
    method: `${providers}/DeleteIdentityProviderConfig`,
    operation: 'DELETE /v2/idps/{idp-id}',
    schema: byTypes,
    input: ({ identityProviderId }) => ({ params: { 'idp-id': identityProviderId } }),
  },

  {
    method: `${packages}/ListKnownPackages`,
    rightsOf: 'POST /v2/dars',
    async call(ledger) {
      const known = await ledger.packages.known()
      return {
        packageDetails: known.map(({ id, size, name, version, uploadedAtMs }) => ({
          packageId: id,
          packageSize: size,
          knownSince: instantToText(BigInt(uploadedAtMs) * 1000n),
          name,
          version,
        })),
      }
    },
  },
  {
    method: `${packages}/UploadDarFile`,
    operation: 'POST /v2/dars',
    schema: byTypes,
    input: ({ darFile, vettingChange, synchronizerId }) => ({
      query: { vetAllPackages: vettingChange !== 'VETTING_CHANGE_DONT_VET_ANY_PACKAGES', synchronizerId },
      body: darFile,
    }),
  },
  {
    method: `${packages}/ValidateDarFile`,
    operation: 'POST /v2/dars/validate',
    schema: byTypes,
    input: ({ darFile, synchronizerId }) => ({ query: { synchronizerId }, body: darFile }),
  },
  { method: `${packages}/UpdateVettedPackages`, operation: 'POST /v2/package-vetting/update' },

  { method: 'PackageService/ListPackages', operation: 'GET /v2/packages' },
  {
    method: 'PackageService/GetPackage',
    operation: 'GET /v2/packages/{package-id}',
    schema: byTypes,
    input: ({ packageId }) => ({ params: { 'package-id': packageId } }),
    async call(ledger, { packageId }) {
      return { archivePayload: await ledger.packages.payload(packageId), hash: packageId }
    },
  },
  {
    method: 'PackageService/GetPackageStatus',
    operation: 'GET /v2/packages/{package-id}/status',
    schema: byTypes,
    input: ({ packageId }) => ({ params: { 'package-id': packageId } }),
  },
  { method: 'PackageService/ListVettedPackages', operation: 'POST /v2/package-vetting/list' },

  {
    method: 'admin.ParticipantPruningService/Prune',
    operation: 'POST /v2/pruning',
    schema: byTypes,
    async call({ pruning }, { pruneUpTo }) {
      await pruning.prune(pruneUpTo)
      return {}
    },
  },
  { method: 'testing.TimeService/GetTime', operation: 'GET /v2/time' },
  { method: 'testing.TimeService/SetTime', operation: 'POST /v2/time' },
  { method: 'VersionService/GetLedgerApiVersion', operation: 'GET /v2/version' },
]
