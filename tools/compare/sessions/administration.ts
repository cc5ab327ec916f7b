// Users, rights, parties and identity providers, as their clients use them and as they should not.
import { mutationsOf } from '../mutations.ts'
import { right, type World } from '../world.ts'

export async function administrationSession(world: World): Promise<void> {
  await users(world)
  await rights(world)
  await parties(world)
  await identityProviders(world)
}

async function users({ both, alice, newId }: World): Promise<void> {
  const id = newId('user')
  const metadata = { resourceVersion: '', annotations: { a: '1', 'b/c': '2' } }
  await both.post('/v2/users', { user: { id, primaryParty: alice, metadata }, rights: [right('CanActAs', alice)] })
  await both.post('/v2/users', { user: { id } })
  await both.get(`/v2/users/${id}`)
  await both.get(`/v2/users/${id}/rights`)
  const { user } = await both.get(`/v2/users/${id}`)
  const update = (change: object, paths: readonly string[], who = id) => ({
    user: { id: who, ...change },
    updateMask: { paths, unknownFields: { fields: {} } },
  })
  const changes: readonly object[] = [
    update({ primaryParty: '' }, ['primary_party']),
    update({ isDeactivated: true }, ['is_deactivated']),
    update({ metadata: { resourceVersion: user.metadata.resourceVersion, annotations: { a: '' } } }, ['metadata']),
    update({ metadata: { resourceVersion: 'x', annotations: {} } }, ['metadata.annotations']),
    update({ metadata: { resourceVersion: '999', annotations: { z: 'z' } } }, ['metadata.annotations']),
    update({ metadata: { resourceVersion: '', annotations: { '~': 'z' } } }, ['metadata']),
    update({ metadata: { resourceVersion: '', annotations: { big: 'x'.repeat(300_000) } } }, ['metadata']),
    ...[update({}, []), update({}, ['nothing']), update({}, ['primary_party', 'primary_party'])],
    ...[update({}, ['id']), update({}, ['primary_party'], 'other')],
  ]
  for (const body of changes) await both.call('PATCH', `/v2/users/${id}`, { body })
  for (const { note, body } of mutationsOf(update({ primaryParty: '' }, ['primary_party']))) {
    await both.call('PATCH', `/v2/users/${id}`, { body, note })
  }
  for (const { note, body } of mutationsOf({ user: { id: 'new', metadata }, rights: [right('CanReadAs', alice)] })) {
    await both.call('POST', '/v2/users', { body, note })
    await both.call('DELETE', '/v2/users/new')
  }
  for (const name of ['a b', 'ä', 'x'.repeat(129), 'nobody', '%2F', 'participant_admin']) {
    await both.get(`/v2/users/${encodeURIComponent(name)}`)
    await both.get(`/v2/users/${encodeURIComponent(name)}/rights`)
    await both.post('/v2/users', { user: { id: name } })
  }
  for (const query of [
    '',
    '?pageSize=1',
    '?pageSize=0',
    '?pageSize=-1',
    '?pageSize=x',
    '?pageToken=x',
    '?identity-provider-id=x',
  ]) {
    await both.get(`/v2/users${query}`)
  }
  await both.call('DELETE', `/v2/users/${id}`)
  await both.call('DELETE', `/v2/users/${id}`)
  await both.get('/v2/authenticated-user')
  const move = { userId: id, sourceIdentityProviderId: '', targetIdentityProviderId: 'x' }
  for (const { note, body } of mutationsOf(move)) {
    await both.call('PATCH', `/v2/users/${id}/identity-provider-id`, { body, note })
  }
}

async function rights({ both, alice, newId, participant }: World): Promise<void> {
  const userId = newId('user')
  await both.post('/v2/users', { user: { id: userId } })
  const nobody = `nobody::${participant.split('::').at(-1)}`
  const kinds = [
    ...['ParticipantAdmin', 'IdentityProviderAdmin', 'CanReadAsAnyParty', 'CanExecuteAsAnyParty'].map((kind) =>
      right(kind),
    ),
    ...['CanActAs', 'CanReadAs', 'CanExecuteAs'].flatMap((kind) => [right(kind, alice), right(kind, nobody)]),
    ...[right('CanActAs', 'x y'), right('CanActAs', ''), { kind: { Empty: {} } }, { kind: { Nothing: {} } }],
  ]
  for (const kind of kinds) {
    const body = { userId, rights: [kind] }
    await both.post(`/v2/users/${userId}/rights`, body)
    await both.post(`/v2/users/${userId}/rights`, body)
    await both.get(`/v2/users/${userId}/rights`)
    await both.call('PATCH', `/v2/users/${userId}/rights`, { body })
    await both.call('PATCH', `/v2/users/${userId}/rights`, { body })
  }
  for (const { note, body } of mutationsOf({ userId, rights: [right('CanActAs', alice)], identityProviderId: '' })) {
    await both.call('POST', `/v2/users/${userId}/rights`, { body, note })
  }
  await both.post('/v2/users/nobody/rights', { userId: 'nobody', rights: [] })
  await both.post(`/v2/users/${userId}/rights`, { userId: 'other', rights: [] })
}

async function parties({ both, alice, bob, participant, synchronizers }: World): Promise<void> {
  const hints = ['dora', 'dora', '', 'a b', 'ä', 'x'.repeat(190), 'x:y', 'x::y']
  for (const partyIdHint of hints) await both.post('/v2/parties', { partyIdHint })
  const body = {
    partyIdHint: 'emil',
    identityProviderId: '',
    localMetadata: { resourceVersion: '', annotations: { a: '1' } },
    synchronizerId: synchronizers[0],
    userId: '',
  }
  let last = 0
  for (const { note, body: mutated } of mutationsOf(body)) {
    const hasHint = typeof mutated === 'object' && mutated !== null && 'partyIdHint' in mutated
    const isNew = hasHint && mutated.partyIdHint === 'emil'
    await both.call('POST', '/v2/parties', {
      body: isNew ? { ...mutated, partyIdHint: `emil${++last}` } : mutated,
      note,
    })
  }
  await both.post('/v2/parties', { partyIdHint: 'fritz', userId: 'app' })
  await both.post('/v2/parties', { partyIdHint: 'gerda', userId: 'nobody' })
  const names = [alice, `nobody::${participant.split('::').at(-1)}`, 'x', 'x y', 'nobody::1220']
  for (const name of names) await both.get(`/v2/parties/${encodeURIComponent(name)}`)
  await both.get(`/v2/parties/${encodeURIComponent(alice)}?parties=${encodeURIComponent(bob)}`)
  for (const query of [
    '?filter-party=ali',
    '?filter-party=bo',
    '?filter-party=zzz',
    '?pageSize=2',
    '?pageSize=-1',
    '?pageToken=x',
  ]) {
    await both.get(`/v2/parties${query}`)
  }
  const update = (localMetadata: object, paths: readonly string[], party = alice) => ({
    partyDetails: { party, isLocal: true, localMetadata, identityProviderId: '' },
    updateMask: { paths, unknownFields: { fields: {} } },
  })
  const path = `/v2/parties/${encodeURIComponent(alice)}`
  const changes: readonly object[] = [
    update({ resourceVersion: '', annotations: { a: '1' } }, ['local_metadata']),
    update({ resourceVersion: '', annotations: { a: '2', b: '3' } }, ['local_metadata.annotations']),
    update({ resourceVersion: '77', annotations: {} }, ['local_metadata']),
    ...[
      update({}, []),
      update({}, ['nothing']),
      update({}, ['party']),
      update({}, ['is_local']),
      update({}, ['local_metadata'], bob),
    ],
  ]
  for (const change of changes) await both.call('PATCH', path, { body: change })
  const valid = update({ resourceVersion: '', annotations: { a: '1' } }, ['local_metadata'])
  for (const { note, body: mutated } of mutationsOf(valid)) await both.call('PATCH', path, { body: mutated, note })
}

async function identityProviders({ both, newId }: World): Promise<void> {
  const identityProviderId = newId('idp')
  const issuer = `https://${identityProviderId}.example`
  const config = { identityProviderId, issuer, jwksUrl: `${issuer}/keys`, isDeactivated: false, audience: 'a' }
  const path = `/v2/idps/${identityProviderId}`
  await both.post('/v2/idps', { identityProviderConfig: config })
  await both.post('/v2/idps', { identityProviderConfig: config })
  await both.post('/v2/idps', { identityProviderConfig: { ...config, identityProviderId: 'other' } })
  await both.get('/v2/idps')
  await both.get(path)
  await both.get('/v2/idps/nothing')
  const update = (change: object, paths: readonly string[], id = identityProviderId) => ({
    identityProviderConfig: { ...config, identityProviderId: id, ...change },
    updateMask: { paths, unknownFields: { fields: {} } },
  })
  const changes: readonly object[] = [
    update({ audience: 'b' }, ['audience']),
    update({ isDeactivated: true }, ['is_deactivated']),
    update({ isDeactivated: false, jwksUrl: 'https://other.example/keys' }, ['is_deactivated', 'jwks_url']),
    update({ issuer: 'https://new.example' }, ['issuer']),
    update({ issuer: '' }, ['issuer']),
    update({ jwksUrl: 'x' }, ['jwks_url']),
    update({ jwksUrl: '' }, ['jwks_url']),
    ...[
      update({}, []),
      update({}, ['nothing']),
      update({}, ['audience', 'audience']),
      update({}, ['audience'], 'other'),
    ],
    ...[update({}, ['identity_provider_id']), update({}, ['x'.repeat(60)]), update({}, ['']), update({}, ['jwksUrl'])],
    { identityProviderConfig: config },
    { updateMask: { paths: ['audience'] } },
  ]
  for (const body of changes) await both.call('PATCH', path, { body })
  await both.call('PATCH', '/v2/idps/nothing', { body: update({}, ['audience'], 'nothing') })
  for (const { note, body } of mutationsOf(update({ audience: 'c' }, ['audience']))) {
    await both.call('PATCH', path, { body, note })
  }
  for (const { note, body } of mutationsOf({ identityProviderConfig: { ...config, identityProviderId: 'third' } })) {
    await both.call('POST', '/v2/idps', { body, note })
    await both.call('DELETE', '/v2/idps/third')
  }
  await both.call('DELETE', path)
  await both.call('DELETE', path)
  await both.call('DELETE', '/v2/idps/x')
  await both.call('DELETE', '/v2/idps/5')
}
