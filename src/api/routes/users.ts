// /v2/users and /v2/authenticated-user. Mirrors Canton's JsUserManagementService.
import { Type } from 'typebox'
import { invalidArgument } from '../../base/errors.ts'
import { userIdProblem } from '../../base/names.ts'
import { type Route, route } from '../route.ts'
import { int32, text } from '../wire/schema.ts'
import * as wire from '../wire/users.ts'

const tag = 'Users'
const identityProvider = Type.Object({ 'identity-provider-id': text('The identity provider of the user') })

export const userRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v2/users',
    tag,
    summary: 'Create a user with its first rights',
    body: wire.createUserRequest,
    response: wire.createUserResponse,
    subject: ({ body }) => ({
      identityProviderId: body.user?.identityProviderId ?? '',
      rights: wire.rightsFromJson(body.rights),
    }),
    async call(ledger, { body }, { identityProviderId, caller }) {
      const user = body.user && { ...wire.userFromJson(body.user), identityProviderId }
      return { user: wire.userToJson(await ledger.users.create(user, wire.rightsFromJson(body.rights), caller)) }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/users',
    tag,
    summary: 'List the users of an identity provider, page by page',
    query: Type.Object({
      pageSize: int32("Users per page; 0 or too many for the node's maximum"),
      pageToken: text('The nextPageToken of the previous page; empty for the first page'),
    }),
    response: wire.usersResponse,
    subject: () => ({ identityProviderId: '' }),
    async call(ledger, { query }, { identityProviderId }) {
      const { users, nextPageToken } = await ledger.users.list(identityProviderId, query)
      return { users: users.map(wire.userToJson), nextPageToken }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/users/{user-id}',
    tag,
    summary: 'Get a user',
    query: identityProvider,
    response: wire.getUserResponse,
    early: checkUserInPath,
    subject: ({ params, query }) => ({
      userId: params['user-id']!,
      identityProviderId: query['identity-provider-id'],
    }),
    async call(ledger, _input, { userId, identityProviderId }) {
      return { user: wire.userToJson(await ledger.users.get(userId, identityProviderId)) }
    },
  }),

  route({
    method: 'GET',
    path: '/v2/authenticated-user',
    tag,
    summary: 'Get the user of the token',
    query: identityProvider,
    response: wire.getUserResponse,
    subject: ({ query }) => ({ userId: '', identityProviderId: query['identity-provider-id'] }),
    async call(ledger, _input, { userId, identityProviderId }) {
      return { user: wire.userToJson(await ledger.users.get(userId, identityProviderId)) }
    },
  }),

  route({
    method: 'PATCH',
    path: '/v2/users/{user-id}',
    tag,
    summary: 'Update the fields of a user that the mask names',
    body: wire.updateUserRequest,
    response: wire.updateUserResponse,
    early: ({ params, body }) => checkUserInBody(params, body.user?.id),
    subject: ({ body }) => ({ identityProviderId: body.user!.identityProviderId }),
    async call(ledger, { body }, { identityProviderId, caller }) {
      const user = { ...wire.userFromJson(body.user!), identityProviderId }
      return { user: wire.userToJson(await ledger.users.update(user, body.updateMask?.paths, caller)) }
    },
  }),

  route({
    method: 'DELETE',
    path: '/v2/users/{user-id}',
    tag,
    summary: 'Delete a user and its rights',
    response: wire.nothing,
    early: checkUserInPath,
    subject: () => ({ identityProviderId: '' }),
    async call(ledger, { params }, { identityProviderId, caller }) {
      await ledger.users.delete(params['user-id']!, identityProviderId, caller)
      return {}
    },
  }),

  route({
    method: 'GET',
    path: '/v2/users/{user-id}/rights',
    tag,
    summary: 'List the rights of a user',
    response: wire.rightsResponse,
    early: checkUserInPath,
    subject: ({ params }) => ({ userId: params['user-id']!, identityProviderId: '' }),
    async call(ledger, _input, { userId, identityProviderId }) {
      return { rights: (await ledger.users.rights(userId, identityProviderId)).map(wire.rightToJson) }
    },
  }),

  route({
    method: 'POST',
    path: '/v2/users/{user-id}/rights',
    tag,
    summary: 'Grant rights to a user; returns those that are new',
    body: wire.grantRequest,
    response: wire.grantResponse,
    early: ({ params, body }) => checkUserInBody(params, body.userId),
    subject: ({ body }) => ({ identityProviderId: body.identityProviderId, rights: wire.rightsFromJson(body.rights) }),
    async call(ledger, { body }, { identityProviderId, caller }) {
      const rights = wire.rightsFromJson(body.rights)
      const granted = await ledger.users.grant(body.userId, identityProviderId, rights, caller)
      return { newlyGrantedRights: granted.map(wire.rightToJson) }
    },
  }),

  route({
    method: 'PATCH',
    path: '/v2/users/{user-id}/rights',
    tag,
    summary: 'Revoke rights of a user; returns those that it had',
    body: wire.revokeRequest,
    response: wire.revokeResponse,
    early: ({ params, body }) => checkUserInBody(params, body.userId),
    subject: ({ body }) => ({ identityProviderId: body.identityProviderId, rights: wire.rightsFromJson(body.rights) }),
    async call(ledger, { body }, { identityProviderId, caller }) {
      const rights = wire.rightsFromJson(body.rights)
      const revoked = await ledger.users.revoke(body.userId, identityProviderId, rights, caller)
      return { newlyRevokedRights: revoked.map(wire.rightToJson) }
    },
  }),

  route({
    method: 'PATCH',
    path: '/v2/users/{user-id}/identity-provider-id',
    tag,
    summary: 'Move a user from one identity provider to another',
    body: wire.moveUserRequest,
    response: wire.moveUserResponse,
    early: ({ params, body }) => checkUserInBody(params, body.userId),
    async call(ledger, { body }) {
      const { userId, sourceIdentityProviderId, targetIdentityProviderId } = body
      await ledger.users.moveToIdentityProvider(userId, sourceIdentityProviderId, targetIdentityProviderId)
      return {}
    },
  }),
]

function checkUserInPath({ params }: { readonly params: Readonly<Record<string, string>> }): void {
  const problem = userIdProblem(params['user-id']!)
  if (problem !== undefined) throw invalidArgument(`Malformed user-id: ${problem}`, { early: true })
}

function checkUserInBody(params: Readonly<Record<string, string>>, inBody: string | undefined): void {
  const inPath = params['user-id']!
  if (inBody === inPath) return
  const shown = inBody === undefined ? 'None' : `Some(${inBody})`
  throw invalidArgument(`${inPath} does not match user in body: ${shown} `, { early: true })
}
