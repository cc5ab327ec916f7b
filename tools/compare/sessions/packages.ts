// Packages: upload, reading, vetting and preferences.
import { mutationsOf } from '../mutations.ts'
import { darFile, type World } from '../world.ts'

const others = [
  'test/lf/effects-lf22.dar',
  'test/lf/effects-lf23.dar',
  'test/lf/expressions-lf21.dar',
  'test/lf/builtins-lf23.dar',
]

export async function packageSession(world: World): Promise<void> {
  const { both, packageIds, alice, synchronizers, newId } = world
  for (const dar of others) {
    await both.post('/v2/dars/validate', darFile(dar))
    await both.post('/v2/packages', darFile(dar))
  }
  const dar = darFile(others[0]!)
  for (const bytes of [Buffer.from('x'), Buffer.alloc(0), dar.subarray(0, 500), Buffer.concat([dar, dar])]) {
    await both.post('/v2/dars', bytes)
    await both.post('/v2/packages', bytes)
    await both.post('/v2/dars/validate', bytes)
  }
  for (const query of [
    'vetAllPackages=false',
    'vetAllPackages=x',
    `synchronizerId=${synchronizers[0]}`,
    'synchronizerId=x',
  ]) {
    await both.post(`/v2/dars?${query}`, dar)
    await both.post(`/v2/dars/validate?${query}`, dar)
  }
  for (const id of [packageIds[0]!, 'x', '0'.repeat(64), `${packageIds[0]}x`]) {
    await both.get(`/v2/packages/${id}/status`)
  }
  for (const id of ['x', '0'.repeat(64)]) await both.get(`/v2/packages/${id}`)
  await both.post('/v2/package-vetting/list', {})
  const list = {
    packageMetadataFilter: { packageIds: [packageIds[0]], packageNamePrefixes: ['quick'] },
    topologyStateFilter: { participantIds: [], synchronizerIds: [synchronizers[0]] },
    pageToken: '',
    pageSize: 10,
  }
  for (const { note, body } of mutationsOf(list)) await both.call('POST', '/v2/package-vetting/list', { body, note })
  const stranger = `x::${synchronizers[0]!.split('::')[1]}`
  for (const synchronizerIds of [[stranger], [synchronizers[0], stranger]]) {
    const topologyStateFilter = { participantIds: [], synchronizerIds }
    await both.post('/v2/package-vetting/list', { topologyStateFilter })
  }
  for (const path of ['/v2/package-vetting', '/v2/state/active-contracts-page']) {
    await both.call('GET', path)
    await both.call('GET', path, { body: {} })
  }
  const update = {
    changes: [{ operation: { Vet: { value: { packages: [{ packageName: 'quickstart' }] } } } }],
    dryRun: true,
    synchronizerId: '',
  }
  for (const { note, body } of mutationsOf(update))
    await both.call('POST', '/v2/package-vetting/update', { body, note })
  for (const packageName of ['effects-lf21', 'nothing', 'builtins-lf21']) {
    for (const kind of ['Unvet', 'Vet']) {
      const value = { packages: [{ packageName, packageVersion: '', packageId: '' }] }
      await both.post('/v2/package-vetting/update', { changes: [{ operation: { [kind]: { value } } }], dryRun: true })
    }
  }
  const party = encodeURIComponent(alice)
  const preferences = [
    `parties=${party}&package-name=quickstart`,
    `parties=${party}&package-name=nothing`,
    `parties=${party}`,
  ]
  for (const query of [...preferences, 'package-name=quickstart', `parties=x&package-name=quickstart`]) {
    await both.get(`/v2/interactive-submission/preferred-package-version?${query}`)
  }
  const preferred = {
    packageVettingRequirements: [{ parties: [alice], packageName: 'quickstart' }],
    synchronizerId: synchronizers[0],
  }
  for (const { note, body } of mutationsOf(preferred)) {
    await both.call('POST', '/v2/interactive-submission/preferred-packages', { body, note: `${note} ${newId()}` })
  }
}
