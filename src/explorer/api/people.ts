// Parties, users, rights and identity providers: the administrator's calls.
import { call, get, post } from './client.ts'
import type { Right } from './wire.ts'

export type Metadata = {
  readonly resourceVersion: string
  readonly annotations: Readonly<Record<string, string>>
}

export type KnownParty = {
  readonly party: string
  readonly isLocal: boolean
  readonly localMetadata?: Metadata | null
  readonly identityProviderId: string
}

export type KnownUser = {
  readonly id: string
  readonly primaryParty: string
  readonly isDeactivated: boolean
  readonly metadata?: Metadata | null
  readonly identityProviderId: string
}

export type IdentityProvider = {
  readonly identityProviderId: string
  readonly isDeactivated: boolean
  readonly issuer: string
  readonly jwksUrl: string
  readonly audience: string
}

export type Page<T> = { readonly items: readonly T[]; readonly next: string | undefined }
type PageQuery = { readonly size: number; readonly token?: string | undefined }

export async function readParties(
  { prefix, size, token }: PageQuery & { readonly prefix: string },
  signal?: AbortSignal,
): Promise<Page<KnownParty>> {
  const query = { 'filter-party': prefix, pageSize: size, pageToken: token }
  const page = await get<{ partyDetails: KnownParty[]; nextPageToken?: string }>('/v2/parties', { query, signal })
  return { items: page.partyDetails, next: page.nextPageToken || undefined }
}

/** Undefined if the node does not know it. */
export async function readParty(party: string, signal?: AbortSignal): Promise<KnownParty | undefined> {
  const path = `/v2/parties/${encodeURIComponent(party)}`
  return (await get<{ partyDetails: KnownParty[] }>(path, { signal })).partyDetails[0]
}

export async function allocateParty(request: {
  readonly partyIdHint: string
  readonly identityProviderId?: string
  readonly synchronizerId?: string
  readonly userId?: string
}): Promise<KnownParty> {
  return (await post<{ partyDetails: KnownParty }>('/v2/parties', request)).partyDetails
}

export async function annotateParty(
  { party, identityProviderId, localMetadata }: KnownParty,
  annotations: Metadata['annotations'],
): Promise<void> {
  const changed = changedAnnotations(localMetadata?.annotations ?? {}, annotations)
  const partyDetails = { party, identityProviderId, localMetadata: { resourceVersion: '', annotations: changed } }
  const updateMask = { paths: ['local_metadata.annotations'] }
  await call('PATCH', `/v2/parties/${encodeURIComponent(party)}`, { body: { partyDetails, updateMask } })
}

/** The API adds and changes what it is given; an empty value removes. */
export function changedAnnotations(
  before: Metadata['annotations'],
  after: Metadata['annotations'],
): Record<string, string> {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return Object.fromEntries([...removed.map((name) => [name, '']), ...Object.entries(after)])
}

export async function readUsers({ size, token }: PageQuery, signal?: AbortSignal): Promise<Page<KnownUser>> {
  const query = { pageSize: size, pageToken: token }
  const page = await get<{ users?: KnownUser[]; nextPageToken?: string }>('/v2/users', { query, signal })
  return { items: page.users ?? [], next: page.nextPageToken || undefined }
}

const userPath = (id: string) => `/v2/users/${encodeURIComponent(id)}`

export async function readUser(id: string, signal?: AbortSignal): Promise<KnownUser> {
  return (await get<{ user: KnownUser }>(userPath(id), { signal })).user
}

export async function readRights(id: string, signal?: AbortSignal): Promise<readonly Right[]> {
  return (await get<{ rights?: Right[] }>(`${userPath(id)}/rights`, { signal })).rights ?? []
}

export async function createUser(
  user: Pick<KnownUser, 'id' | 'primaryParty' | 'identityProviderId'>,
  rights: readonly Right[],
): Promise<void> {
  await post('/v2/users', { user: { ...user, isDeactivated: false }, rights })
}

export async function updateUser(before: KnownUser, after: UserFields): Promise<void> {
  const { id, identityProviderId, metadata } = before
  const annotations = changedAnnotations(metadata?.annotations ?? {}, after.annotations)
  const { primaryParty, isDeactivated } = after
  const user = { id, identityProviderId, primaryParty, isDeactivated, metadata: { resourceVersion: '', annotations } }
  const updateMask = { paths: ['primary_party', 'is_deactivated', 'metadata.annotations'] }
  await call('PATCH', userPath(id), { body: { user, updateMask } })
}

export type UserFields = Pick<KnownUser, 'primaryParty' | 'isDeactivated'> & {
  readonly annotations: Metadata['annotations']
}

export async function deleteUser(id: string): Promise<void> {
  await call('DELETE', userPath(id))
}

export async function grant({ id, identityProviderId }: KnownUser, right: Right): Promise<void> {
  await post(`${userPath(id)}/rights`, { userId: id, rights: [right], identityProviderId })
}

export async function revoke({ id, identityProviderId }: KnownUser, right: Right): Promise<void> {
  await call('PATCH', `${userPath(id)}/rights`, { body: { userId: id, rights: [right], identityProviderId } })
}

export async function readProviders(signal?: AbortSignal): Promise<readonly IdentityProvider[]> {
  const answer = await get<{ identityProviderConfigs: IdentityProvider[] }>('/v2/idps', { signal })
  return answer.identityProviderConfigs
}

export async function createProvider(identityProviderConfig: IdentityProvider): Promise<void> {
  await post('/v2/idps', { identityProviderConfig })
}

const providerPath = (id: string) => `/v2/idps/${encodeURIComponent(id)}`

export async function updateProvider(identityProviderConfig: IdentityProvider): Promise<void> {
  const updateMask = { paths: ['is_deactivated', 'issuer', 'jwks_url', 'audience'] }
  const path = providerPath(identityProviderConfig.identityProviderId)
  await call('PATCH', path, { body: { identityProviderConfig, updateMask } })
}

export async function deleteProvider(id: string): Promise<void> {
  await call('DELETE', providerPath(id))
}

/** A token for a user with the rights that it has, on a development node. */
export async function issueToken(userId: string, lifetime: string): Promise<string> {
  return (await post<{ token: string }>('/dev/tokens', { userId, lifetime })).token
}

export const rightKinds = [
  'CanActAs',
  'CanReadAs',
  'CanReadAsAnyParty',
  'CanExecuteAs',
  'CanExecuteAsAnyParty',
  'ParticipantAdmin',
  'IdentityProviderAdmin',
] as const
export type RightKind = (typeof rightKinds)[number]

export function rightOf(kind: RightKind, party: string): Right {
  return { kind: { [kind]: { value: isOfParty(kind) ? { party } : {} } } }
}

export function isOfParty(kind: string): boolean {
  return kind === 'CanActAs' || kind === 'CanReadAs' || kind === 'CanExecuteAs'
}

/** A right is one kind and perhaps a party. */
export function partsOfRight({ kind }: Right): { readonly kind: string; readonly party: string | undefined } {
  const [name = '', of] = Object.entries(kind)[0] ?? []
  return { kind: name, party: of?.value.party }
}

/** The rights of a user that reach a party: those for it, and those for any. */
export function rightsReaching(rights: readonly Right[], party: string): readonly string[] {
  return rights.flatMap((right) => {
    const { kind, party: of } = partsOfRight(right)
    return of === party || kind.endsWith('AsAnyParty') ? [kind] : []
  })
}
