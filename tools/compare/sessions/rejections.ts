// Commands that interpretation refuses: what Daml code may do wrong, and how it is told.
import { doing, target as targetArguments } from '../../../test/fixtures/ledger.ts'
import { exercise, iou, target, type World } from '../world.ts'

export async function rejectionSession(world: World): Promise<void> {
  const { both, alice, bank, bob, carol, submit, create, createIou, commandsOf } = world
  const createTarget = (signatories: readonly string[], fields = {}, faults = {}) => ({
    CreateCommand: { templateId: target, createArguments: targetArguments(signatories, fields, faults) },
  })
  for (const part of ['precondition', 'signatories', 'observers', 'view']) {
    for (const fault of ['Lies', 'Throws', 'Errors']) {
      for (const path of ['async/submit', 'submit-and-wait']) {
        const command = createTarget([alice], {}, { [part]: fault })
        await both.post(`/v2/commands/${path}`, commandsOf([command]), { as: 'app', note: `${part} ${fault}` })
      }
    }
  }
  await submit([createTarget([bob])])
  await submit([createTarget([])])
  const contractId = await create(createTarget([alice, bank]))
  const other = await create(createIou())
  const gone = await create(createTarget([alice]))
  await submit([exercise(target, gone, 'Archive')])
  const ref = (id: string) => ({ tag: 'Given', value: id })
  const made = { tag: 'Made', value: '0' }
  const run = (...program: readonly object[]) => doing([alice], ...program)
  const act = (tag: string, value: unknown) => ({ tag, value })
  const nested = (inner: object, on: object = ref(contractId)) => act('Keep', { ref: on, do: inner })
  const programs: readonly (readonly object[])[] = [
    [act('Throw', 'thrown')],
    [act('Error', 'failed')],
    [act('Abort', 'aborted')],
    [act('Fail', { id: 'x', message: 'm' })],
    [act('Fetch', ref(gone))],
    [act('Fetch', ref(other))],
    [act('Archive', ref(gone))],
    [act('Fetch', ref(`00${'ab'.repeat(36)}`))],
    [act('Fetch', ref('x'))],
    [act('Create', targetArguments([carol]))],
    [act('Create', targetArguments([alice], {}, { precondition: 'Lies' }))],
    [act('Create', targetArguments([alice])), act('Archive', made), act('Archive', made)],
    [act('FetchByOtherInterface', ref(contractId))],
    [act('FetchOther', contractId)],
    [nested(run(act('Throw', 'deep')))],
    [nested(run(act('Error', 'deep')))],
    [nested(run(act('Create', targetArguments([carol]))))],
    [act('Try', { body: [act('Throw', 'caught')], handler: [], catches: true })],
  ]
  for (const program of programs) {
    for (const choice of ['Keep', 'Consume']) {
      const note = JSON.stringify(program).slice(0, 200)
      await submit([exercise(target, contractId, choice, run(...program))], {}, { note })
    }
  }
  for (const fault of ['Throws', 'Errors']) {
    for (const where of ['controllersFault', 'observersFault']) {
      await submit([exercise(target, contractId, 'Keep', { ...run(), [where]: fault })])
    }
  }
  const wrong: readonly object[] = [
    exercise(target, contractId, 'Nothing', {}),
    exercise(target, contractId, 'Keep', {}),
    exercise(target, contractId, 'Keep', null),
    exercise(target, contractId, 'Keep', []),
    exercise(target, contractId, 'Keep', 'x'),
    exercise(iou, contractId, 'Iou_Show', { viewers: [] }),
    exercise('#quickstart:Holding:Holding', contractId, 'Holding_Redeem', {}),
    exercise(target, contractId, 'Archive', { x: 1 }),
    exercise(iou, other, 'Iou_Split', { amount: '1000' }),
    exercise(iou, other, 'Iou_Split', { amount: 'x' }),
    exercise(iou, other, 'Iou_Split', { amount: 5 }),
    exercise(iou, other, 'Iou_Split', {}),
    exercise(iou, other, 'Iou_Merge', { other: gone }),
    exercise(iou, other, 'Iou_Merge', { other }),
    exercise(iou, other, 'Iou_Offer', { newOwner: `nobody::${alice.split('::')[1]}` }),
    createIou({ owner: bob }),
    createIou({ amount: '-5' }),
  ]
  for (const command of wrong) {
    const note = JSON.stringify(command).slice(0, 200)
    await submit([command], {}, { note })
    await both.post('/v2/commands/submit-and-wait', commandsOf([command], { workflowId: 'flow' }), { as: 'app', note })
    await both.post('/v2/commands/async/submit', commandsOf([command], { readAs: [bob] }), { as: 'app', note })
  }
  await submit([exercise(target, contractId, 'Keep', doing([bob]))])
  await submit([exercise(target, contractId, 'Keep', run())], { actAs: [bob] })
  await submit([exercise(iou, other, 'Archive')], { actAs: [alice] })
}
