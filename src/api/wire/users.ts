// Users and rights on the wire. Mirrors Canton's JsUserManagementService.
import { type Static, Type } from 'typebox'
import type { Right } from '../../base/rights.ts'
import type { User, UserRequest } from '../../ledger/administration/users.ts'
import { boxed, emptyVariant, fieldMask, flag, list, message, oneOf, optional, text, textMap } from './schema.ts'

/** Version and annotations of users and parties. */
export const objectMeta = message(
  'ObjectMeta',
  {
    resourceVersion: text('Changes with every update; if sent back, a concurrent update is detected and refused'),
    annotations: textMap('Annotations by key, such as team or example.com/team; an empty value deletes its key'),
  },
  { description: 'Metadata kept by this participant' },
)

export type ObjectMeta = Static<typeof objectMeta>

export const noMetadata: ObjectMeta = { resourceVersion: '', annotations: {} }

export const userSchema = message(
  'User',
  {
    id: text("1 to 128 letters, digits or symbols of @^$.!`-#+'~_|:()"),
    primaryParty: text('The primary party of the user'),
    isDeactivated: flag('A deactivated user is denied all access'),
    metadata: optional(objectMeta),
    identityProviderId: text('The identity provider of the user; empty for the default one'),
    primaryPartyAuthentication: flag('Whether the user may authenticate with a token signed by its primary party'),
  },
  { description: 'A user of this API, such as a person or a service', requires: ['id'] },
)

const ofParty = (title: string, description: string) =>
  message(title, { party: text('The party') }, { description, requires: 'all' })
const plain = (title: string, description: string) => message(title, {}, { description })

const kind = oneOf(
  'Kind',
  [
    boxed('CanActAs', ofParty('CanActAs1', 'Submit commands for a party, and read what it sees')),
    boxed('CanExecuteAs', ofParty('CanExecuteAs1', 'Execute submissions that the party signed itself')),
    boxed('CanExecuteAsAnyParty', plain('CanExecuteAsAnyParty1', 'Execute submissions that any party signed itself')),
    boxed('CanReadAs', ofParty('CanReadAs1', 'Read what a party sees')),
    boxed('CanReadAsAnyParty', plain('CanReadAsAnyParty1', 'Read what every party sees')),
    emptyVariant('Empty8'),
    boxed(
      'IdentityProviderAdmin',
      plain('IdentityProviderAdmin1', 'Administer users and parties of the same identity provider'),
    ),
    boxed('ParticipantAdmin', plain('ParticipantAdmin1', 'Administer the participant')),
  ],
  { description: 'The kind of right' },
)

export const rightSchema = message('Right', { kind }, { description: 'A right of a user' })
const rights = list(rightSchema, 'Rights; duplicates count once')

export const createUserRequest = message(
  'CreateUserRequest',
  { user: optional(userSchema), rights },
  { requires: ['user'] },
)
export const createUserResponse = message('CreateUserResponse', { user: userSchema })
export const getUserResponse = message('GetUserResponse', { user: userSchema })
export const updateUserResponse = message('UpdateUserResponse', { user: userSchema })
export const usersResponse = message('ListUsersResponse', {
  users: list(userSchema, 'One page of users, by id'),
  nextPageToken: text('The token of the next page; empty if this page is not full'),
})
export const updateUserRequest = message(
  'UpdateUserRequest',
  {
    user: optional(userSchema),
    updateMask: optional(fieldMask),
  },
  { requires: 'all' },
)
export const rightsResponse = message('ListUserRightsResponse', { rights })
export const grantRequest = message(
  'GrantUserRightsRequest',
  {
    userId: text('The same user as in the path'),
    rights,
    identityProviderId: text('The identity provider of the user'),
  },
  { requires: ['userId'] },
)
export const grantResponse = message('GrantUserRightsResponse', { newlyGrantedRights: rights })
export const revokeRequest = message('RevokeUserRightsRequest', grantRequest.properties, { requires: ['userId'] })
export const revokeResponse = message('RevokeUserRightsResponse', { newlyRevokedRights: rights })
export const moveUserRequest = message(
  'UpdateUserIdentityProviderIdRequest',
  {
    userId: text('The same user as in the path'),
    sourceIdentityProviderId: text('The current identity provider of the user'),
    targetIdentityProviderId: text('The new identity provider of the user'),
  },
  { requires: ['userId'] },
)
export const moveUserResponse = message('UpdateUserIdentityProviderIdResponse', {})
/** An unnamed empty answer. */
export const nothing = Type.Object({})

export function userFromJson(json: Static<typeof userSchema>): UserRequest {
  return { ...json, metadata: json.metadata ?? noMetadata }
}

export function userToJson(user: User): Required<Static<typeof userSchema>> {
  return {
    id: user.id,
    primaryParty: user.primaryParty,
    isDeactivated: user.isDeactivated,
    metadata: { resourceVersion: String(user.resourceVersion), annotations: user.annotations },
    identityProviderId: user.identityProviderId,
    primaryPartyAuthentication: user.primaryPartyAuthentication,
  }
}

/** A right without a kind is undefined; the ledger refuses it in order. */
export function rightsFromJson(json: readonly Static<typeof rightSchema>[]): (Right | undefined)[] {
  return json.map(({ kind }) => {
    const [name, { value }] = Object.entries(kind)[0] as [Right['kind'] | 'Empty', { value?: { party?: string } }]
    if (name === 'Empty') return undefined
    return (value?.party === undefined ? { kind: name } : { kind: name, party: value.party }) as Right
  })
}

export function rightToJson(right: Right): Static<typeof rightSchema> {
  const value = 'party' in right ? { party: right.party } : {}
  return { kind: { [right.kind]: { value } } } as Static<typeof rightSchema>
}
