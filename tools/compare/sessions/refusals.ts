// What refusals tell besides their code: parties, contracts, synchronizers, serials and texts of what is malformed.
import { target as targetArguments } from '../../../test/fixtures/ledger.ts'
import { exercise, iou, target, type World } from '../world.ts'

export async function refusalSession(world: World): Promise<void> {
  await unknownParties(world)
  await vettingSerials(world)
}

const submitPath = '/v2/commands/submit-and-wait'
const preparePath = '/v2/interactive-submission/prepare'

async function unknownParties(world: World): Promise<void> {
  const { both, alice, bank, submit, create, createIou, commandsOf } = world
  const stranger = `stranger::${alice.split('::')[1]}`
  const createTarget = (signatories: readonly string[]) => ({
    CreateCommand: { templateId: target, createArguments: targetArguments(signatories) },
  })
  const contractId = await create(createIou())
  for (const tapsMaxPasses of [undefined, 1, 2]) {
    await submit([createIou({ observers: [stranger] })], { tapsMaxPasses })
    await submit([createTarget([alice, stranger])], { tapsMaxPasses, actAs: [alice, stranger] })
    await submit([createTarget([alice])], { tapsMaxPasses, actAs: [alice, stranger] })
    await submit([exercise(iou, contractId, 'Iou_Show', { viewers: [stranger] })], { tapsMaxPasses })
  }
  await submit([createTarget([alice])], { actAs: [stranger] })
  const preparation = { synchronizerId: '', packageIdSelectionPreference: [], verboseHashing: false }
  for (const commands of [[createIou({ observers: [stranger] })], [createIou(), createIou()]]) {
    const body = { ...commandsOf(commands, { actAs: [bank, alice] }), ...preparation }
    await both.post(preparePath, body, { as: 'app' })
    await both.post(submitPath, commandsOf(commands), { as: 'app' })
  }
}

async function vettingSerials({ both, synchronizers }: World): Promise<void> {
  const operation = { Vet: { value: { packages: [{ packageId: '', packageName: 'quickstart', packageVersion: '' }] } } }
  const [synchronizerId] = synchronizers
  for (const serial of [{ Prior: { value: 100_000 } }, { NoPrior: {} }, { Prior: { value: 0 } }]) {
    const body = { changes: [{ operation }], dryRun: true, synchronizerId, expectedTopologySerial: { serial } }
    await both.post('/v2/package-vetting/update', body)
  }
  const elsewhere = { changes: [{ operation }], dryRun: true, synchronizerId: `other::1220${'ab'.repeat(32)}` }
  await both.post('/v2/package-vetting/update', elsewhere)
}
