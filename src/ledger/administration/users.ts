// Users and their rights. Rules, their order and error texts mirror Canton's ApiUserManagementService and its stores.

import { type Cache, createCache } from '../../base/cache.ts'
import type { Clock } from '../../base/clock.ts'
import {
  foundByNode,
  invalidArgument,
  invalidField,
  LedgerError,
  missingField,
  type Resource,
} from '../../base/errors.ts'
import { pageBytesMax, usersPageMax } from '../../base/limits.ts'
import type { Caches } from '../../base/metrics.ts'
import { partyProblem, userIdProblem } from '../../base/names.ts'
import { partyOf, type Right, rightKey } from '../../base/rights.ts'
import type { Limits } from '../../base/settings.ts'
import type { Annotations, UserRecord } from '../../store/core/administration-records.ts'
import type { Records, Store } from '../../store/core/store.ts'
import { type PageRequest, pageTokenOf, readPageToken } from '../model/paging.ts'
import { annotationBytes, annotationBytesMax, checkAnnotations, mergeAnnotations } from './annotations.ts'
import type { Caller } from './caller.ts'
import { checkIdentityProviderExists, checkIdentityProviderId } from './identity-providers.ts'
import { readResourceVersion, selected, selectFields } from './update-requests.ts'

export type User = UserRecord

/** A user as a request describes it. */
export type UserRequest = {
  readonly id: string
  readonly identityProviderId: string
  readonly primaryParty: string
  readonly isDeactivated: boolean
  readonly primaryPartyAuthentication: boolean
  readonly metadata: { readonly resourceVersion: string; readonly annotations: Annotations }
}

/** A right as a request names it; undefined for an unknown kind. */
export type RequestedRights = readonly (Right | undefined)[]

export type UserWithRights = { readonly user: User; readonly rights: readonly Right[] }

const updatableFields = [
  'id',
  'primary_party',
  'is_deactivated',
  'metadata.annotations',
  'metadata.resource_version',
  'identity_provider_id',
  'primary_party_authentication',
]

export type Users = ReturnType<typeof createUsers>

/** Users whose rights are kept in memory. */
const cachedUsersMax = 100

export function createUsers(store: Store, limits: Limits, clock: Clock, caches?: Caches) {
  const cache: Cache<UserWithRights | undefined> = createCache(
    clock,
    cachedUsersMax,
    limits.authorizationCacheMs,
    caches?.counting('user rights'),
  )

  const listeners: ((id: string | undefined) => Promise<void>)[] = []

  /** Settles when every listener that acts on the user's rights has handled the change. */
  async function changing<T>(id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      cache.delete(id)
      await Promise.all(listeners.map((listener) => listener(id)))
    }
  }

  function change<T>(id: string, body: (records: Records) => Promise<T>): Promise<T> {
    return changing(id, () => store.transaction(body))
  }

  /** The user and its rights, for authorizing its requests; undefined when there is no such user. */
  function find(id: string): UserWithRights | undefined | Promise<UserWithRights | undefined> {
    return cache.get(id, async () => {
      const user = await store.users.get(id)
      return user && { user, rights: await store.users.rights(id) }
    })
  }

  async function known(id: string, identityProviderId: string, operation: string): Promise<UserWithRights> {
    checkUserId(id, 'user_id')
    checkIdentityProviderId(identityProviderId)
    const found = await find(id)
    return { user: sameProvider(found?.user, id, identityProviderId, operation), rights: found?.rights ?? [] }
  }

  return {
    find,

    /** Called after each change of a user or its rights, or of any; the change waits for the listener. */
    onChange: (listener: (id: string | undefined) => Promise<void>) => void listeners.push(listener),

    /** Another node has changed users. */
    async forgetAll(): Promise<void> {
      cache.clear()
      await Promise.all(listeners.map((listener) => listener(undefined)))
    },

    async create(request: UserRequest | undefined, rights: RequestedRights, caller: Caller): Promise<User> {
      // Canton first fills in the provider of a caller confined to one, so a missing user becomes an empty one.
      if (request === undefined) throw missingField(caller.isParticipantAdmin ? 'user' : 'id')
      const { id, metadata, primaryParty, identityProviderId } = request
      checkUserId(id, 'id')
      if (metadata.resourceVersion !== '') {
        throw invalidArgument('field user.metadata.resource_version must be not set')
      }
      checkAnnotations(metadata.annotations, {
        field: 'user.metadata.annotations',
        emptyValues: 'forbidden',
      })
      checkPrimaryParty(primaryParty)
      checkRights(rights)
      checkIdentityProviderId(identityProviderId)
      return change(id, async (records) => {
        await checkIdentityProviderExists(identityProviderId, records)
        await checkParties(rights, identityProviderId, caller, records)
        const existing = await records.users.get(id)
        if (existing !== undefined) {
          sameProvider(existing, id, identityProviderId, 'creating user')
          throw new LedgerError('USER_ALREADY_EXISTS', `creating user failed, as user "${id}" already exists`, {
            resources: [resource(id)],
          })
        }
        const user: User = {
          id,
          identityProviderId,
          primaryParty,
          isDeactivated: request.isDeactivated,
          primaryPartyAuthentication: request.primaryPartyAuthentication,
          resourceVersion: 0n,
          annotations: { ...metadata.annotations },
        }
        await records.users.insert(user)
        await records.users.grant(id, rights)
        await checkRightCount(id, 'creating user', records)
        return user
      })
    },

    async get(id: string, identityProviderId: string): Promise<User> {
      return (await known(id, identityProviderId, 'getting user')).user
    },

    async rights(id: string, identityProviderId: string): Promise<readonly Right[]> {
      return (await known(id, identityProviderId, 'list user rights')).rights
    },

    async list(identityProviderId: string, { pageSize, pageToken }: PageRequest) {
      const after = readPageToken(pageToken, (text) => userIdProblem(text) === undefined)
      if (pageSize < 0) throw invalidArgument('Max page size must be non-negative')
      checkIdentityProviderId(identityProviderId)
      const limit = Math.min(pageSize || usersPageMax, usersPageMax)
      const page = { after, limit, bytesMax: pageBytesMax(limits) }
      const { records: users, isCut } = await store.users.list(identityProviderId, page)
      return { users, nextPageToken: isCut || users.length === limit ? pageTokenOf(users.at(-1)!.id) : '' }
    },

    async update(request: UserRequest, paths: readonly string[] | undefined, caller: Caller): Promise<User> {
      const { id, metadata, identityProviderId } = request
      checkUserId(id, 'user.id')
      if (paths === undefined) throw missingField('update_mask')
      checkPrimaryParty(request.primaryParty)
      checkIdentityProviderId(identityProviderId)
      const expected = readResourceVersion(metadata.resourceVersion, 'user.metadata.resource_version')
      checkAnnotations(metadata.annotations, {
        field: 'user.metadata.annotations',
        emptyValues: 'allowed',
      })
      const selection = selectFields(paths, updatableFields, (reason) => {
        const text = `Update operation for user id '${id}' failed due to: ${reason}`
        return new LedgerError('INVALID_USER_UPDATE_REQUEST', text, { resources: [resource(id)] })
      })
      return change(id, async (records) => {
        await checkIdentityProviderExists(identityProviderId, records)
        if (caller.userId === id && selected(selection, 'is_deactivated', request.isDeactivated, false, false)) {
          throw invalidArgument('Requesting user cannot self-deactivate')
        }
        const current = sameProvider(await records.users.get(id), id, identityProviderId, 'updating user')
        if (expected !== undefined && expected !== current.resourceVersion) {
          const text = `Update operation for user '${id}' failed due to a concurrent update to the same user`
          throw new LedgerError('CONCURRENT_USER_UPDATE_DETECTED', text, { resources: [resource(id)] })
        }
        const choose = <T>(field: string, requested: T, now: T, byDefault: T) =>
          selected(selection, field, requested, now, byDefault)
        const updated: User = {
          ...current,
          primaryParty: choose('primary_party', request.primaryParty, current.primaryParty, ''),
          isDeactivated: choose('is_deactivated', request.isDeactivated, current.isDeactivated, false),
          primaryPartyAuthentication: choose(
            'primary_party_authentication',
            request.primaryPartyAuthentication,
            current.primaryPartyAuthentication,
            false,
          ),
          annotations: selection.has('metadata.annotations')
            ? mergeAnnotations(current.annotations, metadata.annotations)
            : current.annotations,
          resourceVersion: current.resourceVersion + 1n,
        }
        if (annotationBytes(updated.annotations) > annotationBytesMax) {
          const text = `Maximum annotations size for user '${id}' has been exceeded`
          throw new LedgerError('MAX_USER_ANNOTATIONS_SIZE_EXCEEDED', text, { resources: [resource(id)] })
        }
        await records.users.update(updated)
        return updated
      })
    },

    async delete(id: string, identityProviderId: string, caller: Caller): Promise<void> {
      checkUserId(id, 'user_id')
      checkIdentityProviderId(identityProviderId)
      if (caller.userId === id) throw invalidArgument('Requesting user cannot delete itself')
      await change(id, async ({ users }) => {
        sameProvider(await users.get(id), id, identityProviderId, 'deleting user')
        await users.delete(id)
      })
    },

    /** Returns the rights that are new. */
    async grant(id: string, identityProviderId: string, rights: RequestedRights, caller: Caller): Promise<Right[]> {
      checkUserId(id, 'user_id')
      checkRights(rights)
      checkIdentityProviderId(identityProviderId)
      return change(id, async (records) => {
        await checkParties(rights, identityProviderId, caller, records)
        sameProvider(await records.users.get(id), id, identityProviderId, 'grant user rights')
        return grantRights(id, rights, 'grant user rights', records)
      })
    },

    /** Returns the rights that are gone. */
    async revoke(id: string, identityProviderId: string, rights: RequestedRights, caller: Caller): Promise<Right[]> {
      checkUserId(id, 'user_id')
      checkRights(rights)
      checkIdentityProviderId(identityProviderId)
      if (caller.userId === id && rights.some(({ kind }) => kind === 'ParticipantAdmin')) {
        throw invalidArgument('Requesting user cannot remove own admin rights')
      }
      return change(id, async (records) => {
        await checkParties(rights, identityProviderId, caller, records)
        sameProvider(await records.users.get(id), id, identityProviderId, 'revoke user rights')
        const held = new Set((await records.users.rights(id)).map(rightKey))
        const gone = distinct(rights).filter((right) => held.has(rightKey(right)))
        await records.users.revoke(id, gone)
        return gone
      })
    },

    async moveToIdentityProvider(id: string, source: string, target: string): Promise<void> {
      checkUserId(id, 'user_id')
      checkIdentityProviderId(source, 'source_identity_provider_id')
      checkIdentityProviderId(target, 'target_identity_provider_id')
      await change(id, async (records) => {
        await checkIdentityProviderExists(source, records)
        await checkIdentityProviderExists(target, records)
        const user = sameProvider(await records.users.get(id), id, source, 'update user identity provider')
        await records.users.update({ ...user, identityProviderId: target })
      })
    },

    /** For another operation that may change the user's rights: drops the user from the cache afterwards. */
    changing,

    /** The user that gets rights to a new party must exist before the party does. */
    async checkExists(id: string, identityProviderId: string, records: Records): Promise<void> {
      try {
        sameProvider(await records.users.get(id), id, identityProviderId, "checking user's existence")
      } catch (error) {
        throw foundByNode(error)
      }
    },

    async grantForNewParty(id: string, party: string, records: Records): Promise<void> {
      const operation = 'granting user rights for a new party'
      await grantRights(id, [{ kind: 'CanActAs', party }], operation, records)
    },
  }

  async function grantRights(id: string, rights: readonly Right[], operation: string, records: Records) {
    const held = new Set((await records.users.rights(id)).map(rightKey))
    const added = distinct(rights).filter((right) => !held.has(rightKey(right)))
    await records.users.grant(id, added)
    await checkRightCount(id, operation, records)
    return added
  }

  async function checkRightCount(id: string, operation: string, records: Records): Promise<void> {
    if ((await records.users.rights(id)).length <= limits.userRightsMax) return
    throw new LedgerError('TOO_MANY_USER_RIGHTS', `${operation} failed, as user "${id}" would have too many rights.`, {
      resources: [resource(id)],
    })
  }
}

/** Returns the user if it belongs to this identity provider: users of others are neither shown nor changed. */
function sameProvider(user: User | undefined, id: string, identityProviderId: string, operation: string): User {
  if (user === undefined) {
    throw new LedgerError('USER_NOT_FOUND', `${operation} failed for unknown user "${id}"`, {
      resources: [resource(id)],
    })
  }
  if (user.identityProviderId !== identityProviderId) {
    const reason = `${operation} failed: User ${id} belongs to another Identity Provider`
    throw new LedgerError('PERMISSION_DENIED', reason, { foundBy: 'request' })
  }
  return user
}

/** Administrators of one identity provider may name only its parties. */
async function checkParties(
  rights: readonly Right[],
  identityProviderId: string,
  caller: Caller,
  records: Records,
): Promise<void> {
  if (caller.isParticipantAdmin) return
  const named = rights.map(partyOf).filter((party) => party !== undefined)
  const foreign: string[] = []
  for (const party of new Set(named)) {
    const record = await records.parties.get(party)
    if (record?.identityProviderId !== identityProviderId) foreign.push(party)
  }
  if (foreign.length === 0) return
  const where = `in identity_provider_id=\`${identityProviderId}\`: [${foreign.join(',')}].`
  throw new LedgerError(
    'UNKNOWN_RESOURCE',
    `The submitted request refers to a non-existing PARTIES: Provided parties have not been found ${where}`,
    { resources: foreign.map((party) => ['PARTIES', party]) },
  )
}

function checkUserId(id: string, field: string): void {
  if (id === '') throw missingField(field)
  const problem = userIdProblem(id)
  if (problem !== undefined) throw invalidField(field, problem)
}

function checkPrimaryParty(party: string): void {
  const problem = party === '' ? undefined : partyProblem(party)
  if (problem !== undefined) throw invalidArgument(problem)
}

function checkRights(rights: RequestedRights): asserts rights is readonly Right[] {
  for (const right of rights) {
    if (right === undefined) {
      throw invalidArgument('unknown kind of right - check that the Ledger API version of the server is recent enough')
    }
    const party = partyOf(right)
    const problem = party === undefined ? undefined : partyProblem(party)
    if (problem !== undefined) throw invalidArgument(problem)
  }
}

function distinct(rights: readonly Right[]): Right[] {
  return [...new Map(rights.map((right) => [rightKey(right), right])).values()]
}

function resource(id: string): Resource {
  return ['USER', id]
}
