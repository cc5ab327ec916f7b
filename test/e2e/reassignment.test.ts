// Reassignments between synchronizers, over HTTP and on both databases: how they are submitted and refused, their
// outcome, and how they are read.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openFlakyProxy } from '../fixtures/flaky-proxy.ts'
import { archiveIou, type Json, right, startTestLedger, type TestLedger } from '../fixtures/ledger.ts'
import { refusalOf, stores } from '../fixtures/node.ts'
import { createTestDatabase } from '../fixtures/postgres.ts'
import { until } from '../fixtures/until.ts'

const submit = '/v2/commands/async/submit-reassignment'
const wait = '/v2/commands/submit-and-wait-for-reassignment'
const anybody = { filtersForAnyParty: {} }

const invalidArgument = (reason: string) => [
  400,
  'INVALID_ARGUMENT',
  `The submitted request has invalid arguments: ${reason}`,
]
const invalidField = (field: string, reason: string) => [
  400,
  'INVALID_FIELD',
  `The submitted command has a field with invalid value: Invalid field ${field}: ${reason}`,
]
const missingField = (field: string) => [
  400,
  'MISSING_FIELD',
  `The submitted command is missing a mandatory field: ${field}`,
]

type Places = { readonly global: string; readonly private: string }

const unassign = (contractId: string, { global, private: target }: Places) => ({
  command: { UnassignCommand: { value: { contractId, source: global, target } } },
})
const assign = (reassignmentId: string, { global, private: target }: Places) => ({
  command: { AssignCommand: { value: { reassignmentId, source: global, target } } },
})
const short = (id: string) => `${id.slice(0, id.indexOf('::') + 14)}...`

let last = 0

/** What a test of one ledger needs: its two synchronizers, and reassignments as alice. */
async function placesOf(ledger: TestLedger) {
  const { json } = await ledger.node.call('GET', '/v2/state/connected-synchronizers')
  const [first, second] = json.connectedSynchronizers as { synchronizerId: string; synchronizerAlias: string }[]
  assert.deepEqual([first!.synchronizerAlias, second!.synchronizerAlias], ['global', 'private'])
  const places: Places = { global: first!.synchronizerId, private: second!.synchronizerId }
  const commands = (list: readonly object[], fields: object = {}) => ({
    reassignmentCommands: { commandId: `move-${++last}`, submitter: ledger.alice, commands: list, ...fields },
  })
  /** Waits, and returns the reassignment with all its events. */
  async function done(list: readonly object[], fields: object = {}): Promise<Json> {
    const answer = await ledger.post(wait, { ...commands(list, fields), eventFormat: anybody })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.reassignment
  }
  async function leave(...contractIds: string[]): Promise<string> {
    const reassigned = await done(contractIds.map((id) => unassign(id, places)))
    return reassigned.events[0].JsUnassignedEvent.value.reassignmentId
  }
  async function acs(fields: object = {}): Promise<Json[]> {
    const activeAtOffset = await ledger.end()
    const { json: found } = await ledger.post('/v2/state/active-contracts', {
      activeAtOffset,
      eventFormat: anybody,
      ...fields,
    })
    return found.map(({ contractEntry }: Json) => contractEntry)
  }
  return { places, commands, done, leave, acs }
}

for (const store of stores) {
  describe(`a reassignment on ${store}`, () => {
    let ledger: TestLedger
    let world: Awaited<ReturnType<typeof placesOf>>
    before(async () => {
      ledger = await startTestLedger({ store })
      world = await placesOf(ledger)
    })
    after(() => ledger[Symbol.asyncDispose]())

    const create = async () => (await ledger.submit([ledger.createIou()])).contractId

    test('unassigns a contract and assigns it to another synchronizer', async () => {
      const { places, done, acs } = world
      const contractId = await create()
      const left = await done([unassign(contractId, places)], { workflowId: 'w1' })
      const { reassignmentId, assignmentExclusivity, ...unassigned } = left.events[0].JsUnassignedEvent.value
      assert.match(reassignmentId, /^001220[0-9a-f]{64}$/)
      assert.deepEqual(unassigned, {
        contractId,
        templateId: unassigned.templateId,
        packageName: 'quickstart',
        source: places.global,
        target: places.private,
        submitter: ledger.alice,
        reassignmentCounter: 1,
        witnessParties: [ledger.alice, ledger.bank].toSorted(),
        offset: left.offset,
        nodeId: 0,
      })
      assert.ok(Date.parse(assignmentExclusivity) > Date.parse(left.recordTime))
      assert.deepEqual([left.synchronizerId, left.workflowId], [places.global, 'w1'])
      const inTransit = (await acs()).find(
        ({ JsIncompleteUnassigned: entry }) => entry?.createdEvent.contractId === contractId,
      )
      assert.equal(inTransit.JsIncompleteUnassigned.unassignedEvent.reassignmentId, reassignmentId)

      const refused = await ledger.post('/v2/commands/async/submit', ledger.commandsOf([archiveIou(contractId)]))
      const words = 'are currently unknown due to ongoing contract reassignments or disconnected synchronizers.'
      assert.deepEqual(refusalOf(refused), [
        400,
        'UNKNOWN_CONTRACT_SYNCHRONIZERS',
        `The synchronizers for the contracts (${contractId}) ${words}`,
      ])

      const came = await done([assign(reassignmentId, places)], { submitter: ledger.alice })
      const { createdEvent, ...assigned } = came.events[0].JsAssignmentEvent
      assert.deepEqual(assigned, {
        source: places.global,
        target: places.private,
        reassignmentId,
        submitter: ledger.alice,
        reassignmentCounter: 1,
      })
      assert.deepEqual(
        [createdEvent.contractId, createdEvent.offset, createdEvent.nodeId],
        [contractId, came.offset, 0],
      )
      assert.equal(came.synchronizerId, places.private)
      const [active] = (await acs()).filter((entry) => entry.JsActiveContract?.createdEvent.contractId === contractId)
      assert.equal(active.JsActiveContract.synchronizerId, places.private)
      assert.equal(active.JsActiveContract.reassignmentCounter, 1)

      const { transaction } = await ledger.submit([archiveIou(contractId)])
      assert.equal(transaction.synchronizerId, places.private)
    })

    test('has a completion', async () => {
      const { places, commands } = world
      const contractId = await create()
      const body = commands([unassign(contractId, places)], { submissionId: 'sub', commandId: 'leaves' })
      assert.deepEqual((await ledger.post(submit, body)).json, {})
      const completion = await ledger.completionOf('leaves')
      assert.deepEqual(completion.deduplicationPeriod, { Empty: {} })
      assert.deepEqual(completion.actAs, [ledger.alice])
      assert.equal(completion.submissionId, 'sub')
      assert.equal(completion.status.code, 0)
      assert.equal(completion.synchronizerTime.synchronizerId, places.global)
      const { json } = await ledger.post('/v2/updates/update-by-id', {
        updateId: completion.updateId,
        updateFormat: { includeReassignments: anybody },
      })
      assert.equal(json.update.Reassignment.value.offset, completion.offset)
    })

    test('of a batch moves all contracts under one id, in order', async () => {
      const { places, done } = world
      const ids = [await create(), await create(), await create()]
      const left = await done(ids.map((id) => unassign(id, places)))
      const events = left.events.map(({ JsUnassignedEvent: { value } }: Json) => value)
      assert.deepEqual(
        events.map(({ contractId, nodeId }: Json) => [contractId, nodeId]),
        ids.map((id, index) => [id, index]),
      )
      assert.equal(new Set(events.map(({ reassignmentId }: Json) => reassignmentId)).size, 1)
      const came = await done([assign(events[0].reassignmentId, places)])
      assert.deepEqual(
        came.events.map(({ JsAssignmentEvent: { createdEvent } }: Json) => [
          createdEvent.contractId,
          createdEvent.nodeId,
        ]),
        ids.map((id, index) => [id, index]),
      )
    })

    test('needs the right to act for its submitter', async () => {
      const { places, commands } = world
      const token = await ledger.userWith(`reader-${store}`, right('CanReadAs', ledger.alice))
      const body = commands([unassign(await create(), places)])
      assert.equal((await ledger.post(submit, body, { token })).status, 403)
    })

    test('returns no events if none were requested, and nothing if none match', async () => {
      const { places, commands } = world
      const [first, second] = [await create(), await create()]
      const bare = await ledger.post(wait, commands([unassign(first, places)]))
      assert.deepEqual(bare.json.reassignment.events, [])
      const filter = { filtersByParty: { [ledger.carol]: {} } }
      const none = await ledger.post(wait, { ...commands([unassign(second, places)]), eventFormat: filter })
      assert.deepEqual([none.status, none.json.code], [404, 'UPDATE_NOT_FOUND'])
    })

    test('may be assigned by others only after the exclusivity time', async () => {
      const { places, commands, leave } = world
      const reassignmentId = await leave(await create())
      const early = await ledger.post(wait, commands([assign(reassignmentId, places)], { submitter: ledger.bank }))
      assert.deepEqual([early.status, early.json.code], [404, 'REASSIGNMENT_VALIDATION_FAILED'])
      const words = `Validation check failed. Cannot assign \`ReassignmentId(${reassignmentId})\`: only ${ledger.alice} can`
      assert.ok(early.json.cause.startsWith(words), early.json.cause)
    })

    test('is decided at commit: of two that move one contract one wins', async () => {
      const { places, commands } = world
      const contractId = await create()
      const bodies = ['a', 'b'].map((name) =>
        commands([unassign(contractId, places)], { commandId: `race-${name}-${contractId.slice(2, 10)}` }),
      )
      const answers = await Promise.all(bodies.map((body) => ledger.post(wait, body)))
      const codes = answers.map(({ status, json }) => [status, json.code]).toSorted()
      assert.equal(codes.filter(([status]) => status === 200).length, 1, JSON.stringify(codes))
      const [, loser] = codes
      assert.ok(
        ['UNASSIGNMENT_ACTIVENESS_CHECK_FAILED', 'INVALID_ARGUMENT'].includes(loser![1] as string),
        String(loser![1]),
      )
    })

    const refusals: [title: string, body: (ids: string[]) => object, want: (ids: string[]) => unknown[]][] = [
      ['without commands', () => ({}), () => invalidField('submitter', 'Daml-LF Party is empty')],
      [
        'without a submitter',
        () => world.commands([], { submitter: '' }),
        () => [403, 'NA', 'User app may not do this: the right CanActAs  is missing'],
      ],
      [
        'without a command id',
        () => world.commands([], { commandId: '' }),
        () => invalidField('command_id', 'Daml-LF Ledger String is empty'),
      ],
      [
        'with a bad workflow',
        () => world.commands([], { workflowId: '%' }),
        () => invalidField('workflow_id', 'non expected character 0x25 in Daml-LF Ledger String "%"'),
      ],
      [
        'of nothing',
        () => world.commands([]),
        () => invalidArgument('The batch of reassignment commands was invalid: no commands'),
      ],
      ['of a command that says nothing', () => world.commands([{}]), () => missingField('command')],
      [
        'without a source',
        () => world.commands([unassign('00', { ...world.places, global: '' })]),
        () => missingField('source'),
      ],
      [
        'with a bad target',
        () => world.commands([unassign('00', { ...world.places, private: 'x' })]),
        () => invalidField('target', 'Invalid unique identifier `x` with missing namespace.'),
      ],
      ['without a contract', () => world.commands([unassign('', world.places)]), () => missingField('contract_id')],
      [
        'with a bad reassignment id',
        () => world.commands([assign('xy', world.places)]),
        () => invalidField('reassignment_id', 'Invalid reassignment ID'),
      ],
      [
        'of an assignment beside another',
        () => world.commands([assign('00', world.places), assign('00', world.places)]),
        () => invalidArgument('The batch of reassignment commands was invalid: mixed assign with other commands'),
      ],
      [
        'of both kinds',
        ([id]) => world.commands([unassign(id!, world.places), assign('00', world.places)]),
        () => invalidArgument('The batch of reassignment commands was invalid: mixed assign with other commands'),
      ],
      [
        'between several',
        ([id]) =>
          world.commands([
            unassign(id!, world.places),
            unassign(id!, { global: world.places.private, private: world.places.global }),
          ]),
        () => invalidArgument('The batch of reassignment commands was invalid: differing synchronizers'),
      ],
      [
        'from nowhere',
        ([id]) => world.commands([unassign(id!, { ...world.places, global: `x::1220${'a'.repeat(64)}` })]),
        () => invalidArgument('Unable to resolve x::1220aaaaaaaa... to a connected physical synchronizer id'),
      ],
      [
        'to where it is',
        ([id]) => world.commands([unassign(id!, { ...world.places, private: world.places.global })]),
        ([id]) =>
          invalidArgument(
            `Cannot unassign contracts \`List(ContractId(${id}))\`: source and target synchronizers are the same`,
          ),
      ],
      [
        'of an unknown contract',
        () => world.commands([unassign(`00${'ab'.repeat(32)}`, world.places)]),
        () => invalidArgument(`Cannot unassign contract \`ContractId(00${'ab'.repeat(32)})\`: unknown contract`),
      ],
      [
        'from where it never was',
        ([id]) => world.commands([unassign(id!, { global: world.places.private, private: world.places.global })]),
        ([id]) => invalidArgument(`Cannot unassign contract \`ContractId(${id})\`: unknown contract`),
      ],
      [
        'of a contract that was archived',
        ([, archived]) => world.commands([unassign(archived!, world.places)]),
        ([, archived]) =>
          invalidArgument(
            `Cannot unassign contract \`ContractId(${archived})\` because it's not active. Current status Archived`,
          ),
      ],
      [
        'of a contract in transit',
        ([, , moved]) => world.commands([unassign(moved!, world.places)]),
        ([, , moved]) =>
          invalidArgument(
            `Cannot unassign contract \`ContractId(${moved})\` because it's not active. Current status ReassignedAway(${short(world.places.private)})`,
          ),
      ],
      [
        'of contracts with other stakeholders',
        ([id, , , other]) => world.commands([unassign(id!, world.places), unassign(other!, world.places)]),
        () => {
          const [ours, others] = [ledger.alice, ledger.bob].map((owner) => [owner, ledger.bank].toSorted().join(', '))
          const both = [ours, others].map((all) => `Stakeholders(all = Seq(${all}), signatories = Seq(${all}))`)
          const [status, code, cause] = invalidArgument(`DifferingStakeholders(List(${both.join(', ')}))`)
          return [status, code, `${(cause as string).slice(0, 512)}...`]
        },
      ],
      [
        'by a stranger',
        ([id]) => world.commands([unassign(id!, world.places)], { submitter: ledger.bob }),
        ([id]) =>
          invalidArgument(
            `Submission failed because: For unassignment of Set(ContractId(${id})): submitter \`${ledger.bob}\` is not a stakeholder. `,
          ),
      ],
      [
        'of an unknown reassignment',
        () => world.commands([assign('00ab', world.places)]),
        () =>
          invalidArgument(
            'Cannot find reassignment data for reassignment `ReassignmentId(00ab)`: unknown reassignment id',
          ),
      ],
    ]
    describe('is refused', () => {
      let ids: string[]
      before(async () => {
        const [id, archived, moved] = [await create(), await create(), await create()]
        await ledger.submit([archiveIou(archived)])
        await world.leave(moved)
        const other = (
          await ledger.submit([ledger.createIou({ owner: ledger.bob })], { actAs: [ledger.bank, ledger.bob] })
        ).contractId
        ids = [id, archived, moved, other]
      })
      for (const [title, body, want] of refusals) {
        test(title, async () => {
          const end = await ledger.end()
          assert.deepEqual(refusalOf(await ledger.post(submit, body(ids))), want(ids))
          assert.equal(await ledger.end(), end)
        })
      }

      test('for a stranger as if the contract did not exist', async () => {
        const stranger = await ledger.userWith('stranger', right('CanActAs', ledger.carol))
        const reassignmentId = await world.leave(await create())
        const as = async (commands: readonly object[]) => {
          const body = world.commands(commands, { submitter: ledger.carol, userId: 'stranger' })
          return refusalOf(await ledger.post(submit, body, { token: stranger }))
        }
        for (const id of [...ids, `00${'ab'.repeat(32)}`]) {
          const words = `Cannot unassign contract \`ContractId(${id})\`: unknown contract`
          assert.deepEqual(await as([unassign(id, world.places)]), invalidArgument(words))
        }
        const completed = await world.leave(await create())
        await world.done([assign(completed, world.places)])
        for (const id of [reassignmentId, completed, '00ab']) {
          const words = `Cannot find reassignment data for reassignment \`ReassignmentId(${id})\``
          const refused = await as([assign(id, world.places)])
          assert.deepEqual(refused, invalidArgument(`${words}: unknown reassignment id`))
        }
      })

      test('a second time', async () => {
        const reassignmentId = await world.leave(await create())
        await world.done([assign(reassignmentId, world.places)])
        const again = await ledger.post(submit, world.commands([assign(reassignmentId, world.places)]))
        const words = `Cannot find reassignment data for reassignment \`ReassignmentId(${reassignmentId})\``
        assert.deepEqual(refusalOf(again), invalidArgument(`${words}: reassignment already completed`))
      })
    })
  })

  describe(`contracts in transit on ${store}`, () => {
    test('are assigned automatically after the exclusivity time, also after a restart', async () => {
      await using ledger = await startTestLedger({ store, settings: { time: { kind: 'static' } } })
      const { leave, acs, places } = await placesOf(ledger)
      const pass = async (minutes: number) => {
        const { currentTime } = (await ledger.node.call('GET', '/v2/time')).json
        const newTime = new Date(Date.parse(currentTime) + minutes * 60_000).toISOString()
        assert.equal((await ledger.node.call('POST', '/v2/time', { body: { currentTime, newTime } })).status, 200)
      }
      const [first, second] = [await ledger.submit([ledger.createIou()]), await ledger.submit([ledger.createIou()])]
      await leave(first.contractId)
      await pass(2)
      await until(async () => placeOf(await acs(), first.contractId) === places.private)
      await leave(second.contractId)
      await ledger.node.restart()
      assert.equal(placeOf(await acs(), second.contractId), undefined)
      await pass(2)
      await until(async () => placeOf(await acs(), second.contractId) === places.private)
      const last = (await ledger.completions()).at(-1)!
      assert.deepEqual([last.submissionId, last.actAs, last.status.code], ['', [ledger.alice], 0])
    })
  })

  if (store === 'postgres') {
    test('are assigned automatically even after a database outage', async () => {
      await using database = await createTestDatabase()
      await using proxy = await openFlakyProxy(database.url)
      const settings = { limits: { assignmentExclusivityMs: 5000 }, store: { postgresWatchMs: 100 } }
      await using ledger = await startTestLedger({ store, settings, postgresUrl: proxy.url })
      const { leave, acs, places } = await placesOf(ledger)
      const { contractId } = await ledger.submit([ledger.createIou()])
      await leave(contractId)
      proxy.refuse()
      const metric = async () => (await ledger.node.call('GET', '/metrics')).text
      const failing = /^tallystick_part_failing\{part="automatic-assignment"\} 1$/m
      await until(async () => failing.test(await metric())) // It became due during the outage.
      assert.match((await ledger.node.call('GET', '/readyz')).text, /\[-\] automatic-assignment failed/)
      proxy.restore()
      await until(async () => (await ledger.node.call('GET', '/readyz')).status === 200)
      await until(async () => placeOf(await acs(), contractId) === places.private)
      assert.doesNotMatch(await metric(), failing)
    })
  }

  describe(`routing on ${store}`, () => {
    let ledger: TestLedger
    let world: Awaited<ReturnType<typeof placesOf>>
    before(async () => {
      ledger = await startTestLedger({ store })
      world = await placesOf(ledger)
    })
    after(() => ledger[Symbol.asyncDispose]())

    const createOn = async (synchronizerId: string, fields: object = {}) =>
      (await ledger.submit([ledger.createIou(fields)], { synchronizerId })).contractId

    test('prefers the highest priority, unless a synchronizer is named', async () => {
      const { transaction } = await ledger.submit([ledger.createIou()])
      assert.equal(transaction.synchronizerId, world.places.global)
      const named = await ledger.submit([ledger.createIou()], { synchronizerId: world.places.private })
      assert.equal(named.transaction.synchronizerId, world.places.private)
    })

    test('follows the contracts', async () => {
      const contractId = await createOn(world.places.private)
      const { transaction } = await ledger.submit([archiveIou(contractId)])
      assert.equal(transaction.synchronizerId, world.places.private)
    })

    test('moves contracts together, with separate completions', async () => {
      const [here, there] = [await createOn(world.places.global), await createOn(world.places.private)]
      const before = await ledger.end()
      const { transaction } = await ledger.submit([archiveIou(here), archiveIou(there)], { commandId: 'together' })
      assert.equal(transaction.synchronizerId, world.places.global)
      const completions = await ledger.completions(before)
      assert.deepEqual(
        completions.map(({ commandId, status, deduplicationPeriod }) => [
          commandId,
          status.code,
          Object.keys(deduplicationPeriod)[0],
        ]),
        [
          ['together', 0, 'Empty'],
          ['together', 0, 'Empty'],
          ['together', 0, 'DeduplicationOffset'],
        ],
      )
    })

    test('moves contracts to the named synchronizer', async () => {
      const contractId = await createOn(world.places.global)
      const { transaction } = await ledger.submit([archiveIou(contractId)], { synchronizerId: world.places.private })
      assert.equal(transaction.synchronizerId, world.places.private)
    })

    test('does not use a disconnected synchronizer, but still shows its contracts', async () => {
      const contractId = await createOn(world.places.private)
      const answer = await ledger.node.call('POST', '/v2/synchronizers/private/disconnect')
      assert.deepEqual(
        answer.json.synchronizers.map(({ isConnected }: Json) => isConnected),
        [true, false],
      )
      await ledger.node.restart()
      const commands = ledger.commandsOf([archiveIou(contractId)])
      assert.equal(
        (await ledger.post('/v2/commands/async/submit', commands)).json.code,
        'UNKNOWN_CONTRACT_SYNCHRONIZERS',
      )
      const named = ledger.commandsOf([ledger.createIou()], { synchronizerId: world.places.private })
      assert.deepEqual(refusalOf(await ledger.post('/v2/commands/async/submit', named)), [
        400,
        'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
        `Cannot submit transaction to prescribed synchronizer \`${short(world.places.private)}\` because: cannot resolve to ` +
          `physical synchronizer; ensure the node is connected to ${short(world.places.private)}`,
      ])
      assert.equal(placeOf(await world.acs(), contractId), world.places.private)
      assert.equal((await ledger.node.call('POST', '/v2/synchronizers/private/connect')).status, 200)
      await ledger.submit([archiveIou(contractId)])
    })

    test('refuses unknown synchronizers', async () => {
      const answer = await ledger.node.call('POST', '/v2/synchronizers/other/connect')
      assert.deepEqual(refusalOf(answer), [
        404,
        'SYNC_SERVICE_UNKNOWN_SYNCHRONIZER',
        'The synchronizer with alias other is unknown.',
      ])
      assert.equal((await ledger.post('/v2/synchronizers/private/disconnect', {})).status, 403)
    })

    test('requires a synchronizer that hosts all parties', async () => {
      const { json } = await ledger.node.call('POST', '/v2/parties', {
        body: { partyIdHint: 'dave', synchronizerId: world.places.private },
      })
      const { party: dave } = json.partyDetails
      const { json: of } = await ledger.node.call(
        'GET',
        `/v2/state/connected-synchronizers?party=${encodeURIComponent(dave)}`,
      )
      assert.deepEqual(
        of.connectedSynchronizers.map(({ synchronizerId }: Json) => synchronizerId),
        [world.places.private],
      )
      const { transaction, contractId } = await ledger.submit([ledger.createIou({ observers: [dave] })])
      assert.equal(transaction.synchronizerId, world.places.private)
      const back = { global: world.places.private, private: world.places.global }
      const answer = await ledger.post(submit, world.commands([unassign(contractId, back)]))
      const words = 'The following stakeholders are not active on the target synchronizer'
      assert.deepEqual(refusalOf(answer), invalidArgument(`Submission failed because: ${words}: TreeSet(${dave})`))
      const elsewhere = ledger.commandsOf([ledger.createIou({ observers: [dave] })], {
        synchronizerId: world.places.global,
      })
      assert.deepEqual(refusalOf(await ledger.post('/v2/commands/async/submit', elsewhere)), [
        400,
        'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
        `Not all informees are on the specified synchronizer: ${short(world.places.global)}::35-0, but on ` +
          `Set(${short(world.places.private)}::35-0)`,
      ])
      const more = await ledger.node.call('POST', '/v2/parties', {
        body: { partyIdHint: 'dave', synchronizerId: world.places.global },
      })
      assert.equal(more.status, 200, more.text)
      await world.done([unassign(contractId, back)])
    })
  })
}

function placeOf(entries: readonly Json[], contractId: string): string | undefined {
  return entries.find(({ JsActiveContract: active }) => active?.createdEvent.contractId === contractId)
    ?.JsActiveContract.synchronizerId
}
