// Packages and vetting of several participants: what a command needs of the counterparty's participant.

import { quickstart } from '../../../../test/fixtures/ledger.ts'
import type { Network, Participant } from '../../network.ts'
import { darFile } from '../../world.ts'

const proposal = (templateId: string, issuer: string, owner: string) => ({
  CreateCommand: {
    templateId,
    createArguments: { iou: { issuer, owner, amount: '10', currency: 'EUR', observers: [] } },
  },
})
const byName = '#quickstart:Iou:IouProposal'
const byId = `${quickstart}:Iou:IouProposal`

export async function packageSession(network: Network): Promise<void> {
  const { all, sandbox, pebblebox, alice, bob, carol, first, second } = network
  const dar = darFile('packages/quickstart/quickstart.dar')
  const upload = (one: Participant, synchronizerId: string) =>
    one.post('upload', `/v2/dars?synchronizerId=${synchronizerId}`, dar)
  const propose = (note: string, templateId: string, owner: string, fields = {}) =>
    sandbox.submit(note, [proposal(templateId, alice, owner)], [alice], fields)
  await sandbox.post('without a synchronizer, on two', '/v2/dars', dar)
  await upload(sandbox, first)
  sandbox.both.ids.fix(quickstart)
  await pebblebox.get('a package of another participant', `/v2/packages/${quickstart}/status`)
  await vettingLists(network)
  await propose('unvetted there, by name', byName, bob)
  await propose('unvetted there, by name, prescribed', byName, bob, { synchronizerId: first })
  await propose('unvetted there, by id', byId, bob)
  await propose('unvetted there, by id, prescribed', byId, bob, { synchronizerId: first })
  await preferences(network)
  await upload(pebblebox, second)
  await propose('vetted on another synchronizer', byName, bob)
  await preferences(network)
  await upload(pebblebox, first)
  await sandbox.submit('as two parties, one of them elsewhere', [proposal(byName, alice, bob)], [alice, bob])
  await sandbox.submit('as a party of another participant', [proposal(byName, bob, alice)], [bob])
  const asynchronous = network.commandsOf([proposal(byName, bob, alice)], [bob])
  await sandbox.post('the same, asynchronously', '/v2/commands/async/submit', asynchronous)
  await propose('an observer nobody knows', byName, `ghost::${alice.split('::')[1]}`)
  await propose('an observer on the other synchronizer', byName, carol)
  await propose('the same, prescribed', byName, carol, { synchronizerId: first })
  await vettingLists(network)
  await preferences(network)
  for (const one of all) await one.get('its packages', `/v2/packages/${quickstart}/status`)
}

async function vettingLists({ all, sandbox, pebblebox, first }: Network): Promise<void> {
  const list = (one: Participant, note: string, packageMetadataFilter: object, topologyStateFilter?: object) =>
    one.post(note, '/v2/package-vetting/list', {
      pageSize: 100,
      pageToken: '',
      packageMetadataFilter,
      topologyStateFilter,
    })
  const named = { packageIds: [], packageNamePrefixes: ['quickstart'] }
  const effects = { packageIds: [], packageNamePrefixes: ['effects-lf21'] }
  for (const one of all) {
    await list(one, 'of a package that one has', named)
    await list(one, 'of a package that all have', effects)
    await list(one, 'by id', { packageIds: [quickstart], packageNamePrefixes: [] })
  }
  await list(sandbox, 'of one participant', effects, { participantIds: [pebblebox.id], synchronizerIds: [] })
  await list(sandbox, 'of one synchronizer', effects, { participantIds: [], synchronizerIds: [first] })
}

async function preferences(network: Network): Promise<void> {
  const { sandbox, pebblebox, sidebox, alice, bob, carol, first } = network
  const path = '/v2/interactive-submission/preferred-package'
  const cases: readonly [Participant, name: string, parties: readonly string[], synchronizerId?: string][] = [
    [sandbox, 'quickstart', [alice, bob]],
    [pebblebox, 'quickstart', [bob]],
    [pebblebox, 'quickstart', [alice, bob]],
    [sidebox, 'quickstart', [carol]],
    [sandbox, 'effects-lf21', [alice, bob]],
    [sidebox, 'effects-lf21', [alice, bob]],
    [sandbox, 'effects-lf21', [alice, bob, carol]],
    [sandbox, 'effects-lf21', [alice, carol], first],
    [sandbox, 'effects-lf21', [`ghost::${alice.split('::')[1]}`]],
  ]
  for (const [one, packageName, parties, synchronizerId] of cases) {
    const packageVettingRequirements = [{ packageName, parties }]
    await one.post('preferred packages', `${path}s`, {
      packageVettingRequirements,
      synchronizerId: synchronizerId ?? '',
    })
    const asked = parties.map((party) => `parties=${encodeURIComponent(party)}`).join('&')
    const where = synchronizerId === undefined ? '' : `&synchronizer-id=${synchronizerId}`
    await one.get('preferred version', `${path}-version?package-name=${packageName}&${asked}${where}`)
  }
}
