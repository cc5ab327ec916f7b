// Every question that a script may ask, answered by a node over the Ledger API; and how scripts fail.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openScriptRunner, type ScriptRunner } from '../fixtures/script-runner.ts'

describe('scripts', () => {
  let run: ScriptRunner
  let [issuer, owner] = ['', '']
  before(async () => {
    run = await openScriptRunner()
    issuer = await run.result('allocate', 'issuer')
    owner = await run.result('allocate', 'owner')
  })
  after(() => run[Symbol.asyncDispose]())

  const coin = (number: number, of = owner) => ({ issuer, owner: of, number: String(number) })
  const exercise = (party: string, id: string, how = '') => ({ party, id, receiver: issuer, how })

  describe('parties and time', () => {
    test('a hint is the name of the party', () => {
      assert.match(issuer, /^issuer::1220/)
    })

    test('a requested name gets a suffix', async () => {
      assert.match(await run.result('allocateNamed', 'Ann'), /^Ann-[0-9a-f]{8}::1220/)
    })

    test('a participant of another name is the default one', async () => {
      assert.match(await run.result('allocateOn', 'other'), /^on::1220/)
    })

    test('a participant of another name is unknown if there is no default', async () => {
      const participants = { hasDefault: false, names: ['one'], participantsOfParties: {} }
      const { message, question } = await run.failure('allocateOn', 'other', { participants })
      assert.deepEqual([question, message], ['AllocateParty', 'No participant other and no default participant'])
    })

    test('known parties are listed', async () => {
      const parties = await run.result('parties')
      assert.deepEqual(
        parties.find(({ party }: { party: string }) => party === owner),
        { party: owner, isLocal: true },
      )
    })

    test('static time is read and moved', async () => {
      assert.equal(await run.result('setTime', '1970-01-02T03:04:05.678901Z'), '1970-01-02T03:04:05.678901Z')
      assert.equal(await run.result('now'), '1970-01-02T03:04:05.678901Z')
    })

    test('wall time cannot be set', async () => {
      const { message } = await run.failure('setTime', '2000-01-01T00:00:00Z', { hasStaticTime: false })
      assert.equal(message, 'setTime is not supported in wallclock mode')
    })

    test('a script sleeps', async () => {
      assert.deepEqual(await run.result('sleep', '1000'), {})
    })
  })

  describe('users and packages', () => {
    const user = (id: string, rights: object[] = []) => ({
      user: { userId: { unpack: id }, primaryParty: issuer },
      rights,
    })
    const actAs = () => ({ tag: 'CanActAs', value: issuer })

    test('a user id is validated', async () => {
      assert.equal(await run.result('validateUserId', 'ann'), null)
      assert.match(await run.result('validateUserId', 'an n'), /^User ID "an n" does not match regex/)
    })

    test('users are created, read, changed, listed and deleted', async () => {
      assert.deepEqual(await run.result('createUser', user('ann', [actAs()])), {})
      assert.equal(await run.result('createUser', user('ann')), null)
      assert.deepEqual(await run.result('getUser', 'ann'), { userId: { unpack: 'ann' }, primaryParty: issuer })
      assert.equal(await run.result('getUser', 'nobody'), null)
      const more = { tag: 'CanReadAsAnyParty', value: {} }
      assert.deepEqual(await run.result('grant', user('ann', [actAs(), more])), [more])
      assert.deepEqual(await run.result('listUserRights', 'ann'), [actAs(), more])
      assert.deepEqual(await run.result('revoke', user('ann', [more])), [more])
      assert.equal(await run.result('grant', user('nobody', [more])), null)
      const ids = (await run.result('users')).map((each: { userId: { unpack: string } }) => each.userId.unpack)
      assert.ok(ids.includes('ann'))
      assert.deepEqual(await run.result('deleteUser', 'ann'), {})
      assert.equal(await run.result('deleteUser', 'ann'), null)
    })

    test('packages are listed, unvetted and vetted', async () => {
      const own = { name: 'scripts-lf23', version: '1.0.0' }
      const has = (list: object[]) => list.some((each) => JSON.stringify(each) === JSON.stringify(own))
      assert.ok(has(await run.result('packages')))
      assert.ok(has(await run.result('vetted')))
      await run.result('unvet', own)
      assert.ok(!has(await run.result('vetted')))
      await run.result('vet', own)
      assert.ok(has(await run.result('vetted')))
    })
  })

  describe('submissions', () => {
    test('a create returns the contract, and its tree', async () => {
      assert.match(await run.result('createCoin', coin(1)), /^00/)
      assert.equal(await run.result('tryCoin', coin(1)), '+')
      assert.equal(await run.result('createAndGive', coin(2, issuer)), '+Give(+)')
    })

    test('submissions of one question run together', async () => {
      assert.equal(await run.result('twoCoins', coin(3)), '2')
    })

    test('an exercise of a template, an interface and a key', async () => {
      const id = await run.result('createCoin', coin(4))
      assert.equal(await run.result('show', exercise(issuer, id)), 'Valued_Show()')
      assert.match(await run.result('give', exercise(owner, id)), /^00/)
      await run.result('createCoin', coin(5, issuer))
      const byKey = { party: issuer, key: { issuer, number: '5' }, receiver: owner }
      assert.equal(await run.result('tryGiveByKey', byKey), 'Give(+)')
    })

    test('a disclosed contract is used by a party that does not see it', async () => {
      const id = await run.result('createCoin', coin(6, issuer))
      const ask = (party: string) => ({ issuer, exercise: exercise(party, id) })
      assert.equal(await run.result('tryGive', exercise(owner, id)), 'ContractNotFound')
      assert.equal(await run.result('showDisclosed', ask(owner)), 'AuthorizationError')
      assert.equal(await run.result('showDisclosed', ask(issuer)), 'Give(+)')
    })

    test('a contract that was not found is explained, where everything may be read', async () => {
      const id = await run.result('createCoin', coin(9, issuer))
      const why = (party: string, contract = id) => run.result('whyMissing', exercise(party, contract))
      assert.equal(await why(owner), 'NotVisible')
      await run.result('give', exercise(issuer, id))
      assert.equal(await why(issuer), 'NotActive')
      assert.equal(await why(issuer, `${id.slice(0, 4)}${'0'.repeat(60)}${id.slice(64)}`), 'NotFound')
      const { outcome } = await run.outcomeOf('whyMissing', exercise(issuer, id), { seesAll: false })
      assert.deepEqual(outcome, { kind: 'succeeded', result: '"unknown"' })
    })

    test('errors are constructors of SubmitError', async () => {
      const id = await run.result('createCoin', coin(7))
      assert.equal(await run.result('tryCoin', coin(-1)), 'TemplatePreconditionViolated')
      assert.equal(await run.result('tryGive', exercise(issuer, id)), 'AuthorizationError')
      assert.equal(await run.result('tryBreak', exercise(owner, id, 'throw')), 'FailureStatusError')
      assert.equal(await run.result('tryBreak', exercise(owner, id, 'status')), 'FailureStatusError')
      assert.equal(await run.result('tryBreak', exercise(owner, id, 'a user error')), 'UserError')
      const missing = { party: issuer, key: { issuer, number: '99' }, receiver: owner }
      assert.equal(await run.result('tryGiveByKey', missing), 'ContractKeyNotFound')
    })

    test('what must fail, and fails, has the error', async () => {
      assert.equal(await run.result('mustFailCoin', coin(-1)), 'TemplatePreconditionViolated')
    })

    test('what must fail, and succeeds, fails the script', async () => {
      const { message, question, frames } = await run.failure('mustFailCoin', coin(8))
      assert.equal(message, 'Expected submit to fail but it succeeded')
      assert.equal(question, 'Submit')
      assert.deepEqual(frames, [{ definition: 'ask', module: 'Scripts', line: 41, column: 3 }])
    })

    test('what must succeed, and fails, fails the script with the refusal and its place in Daml', async () => {
      const { message, context } = await run.failure('createCoin', coin(-1))
      assert.match(message, /^INVALID_ARGUMENT: TEMPLATE_PRECONDITION_VIOLATED\(8,\w+\): Interpretation error: Error: /)
      assert.equal(context.category, '8')
    })
  })

  describe('queries', () => {
    let ids: string[] = []
    before(async () => {
      ids = [await run.result('createCoin', coin(20)), await run.result('createCoin', coin(20))]
    })

    test('contracts of a template and of an interface', async () => {
      assert.ok((await run.result('query', owner)).includes('20'))
      const views: { _1: string; _2: object }[] = await run.result('queryViews', owner)
      assert.deepEqual(
        views.find(({ _1 }) => _1 === ids[0]),
        { _1: ids[0], _2: { value: '20' } },
      )
    })

    test('one contract, by its id', async () => {
      assert.deepEqual(await run.result('queryId', { party: owner, id: ids[0] }), coin(20))
      assert.deepEqual(await run.result('queryView', { party: owner, id: ids[0] }), { value: '20' })
      const stranger = await run.result('allocate', 'stranger')
      assert.equal(await run.result('queryId', { party: stranger, id: ids[0] }), null)
      assert.equal(await run.result('queryView', { party: stranger, id: ids[0] }), null)
    })

    test('contracts with a key', async () => {
      const key = { issuer, number: '20' }
      assert.equal(await run.result('queryKey', key), '20')
      assert.equal(await run.result('queryLegacyKey', key), '20')
      assert.equal(await run.result('queryKey', { ...key, number: '21' }), null)
      assert.deepEqual(await run.result('querySeveral', { key, limit: '9223372036854775807' }), ['20', '20'])
      assert.deepEqual(await run.result('querySeveral', { key, limit: '1' }), ['20'])
    })
  })

  describe('keys, exceptions and failures', () => {
    test('signatures verify', async () => {
      assert.equal(await run.result('signMessage', 'deadbeef'), true)
      assert.equal(await run.result('signDigest', 'ab'.repeat(32)), true)
    })

    test('exceptions of scripts and of pure code are caught', async () => {
      assert.equal(await run.result('catchThrown'), 'caught Oops: of a script')
      assert.equal(await run.result('catchPure'), 'caught Oops: of pure code')
    })

    test('an exception that nothing catches is a failure status', async () => {
      const text = 'User failure: UNHANDLED_EXCEPTION/Scripts:Oops (error category 9): Oops: of'
      assert.equal((await run.failure('throwing')).message, `${text} a script`)
      assert.equal((await run.failure('throwPure')).message, `${text} pure code`)
    })

    test('the exceptions of the library have words', async () => {
      const type = 'Daml.Script.Internal.Questions.UserManagement:UserNotFound'
      const text = `User failure: UNHANDLED_EXCEPTION/${type} (error category 9): User not found: nobody`
      assert.equal((await run.failure('missingUser')).message, text)
    })

    test('a failure status is no exception, and has a question of its own', async () => {
      const text = 'User failure: CHOSEN (error category 9): by a script'
      assert.equal((await run.failure('failing')).message, text)
      assert.equal((await run.failure('catchFailure')).message, text)
      assert.equal(await run.result('statusOfFailure'), 'CHOSEN: by a script')
      assert.equal(await run.result('statusOfThrown'), 'UNHANDLED_EXCEPTION/Scripts:Oops: Oops: of a script')
    })

    test('tryCommands catches questions that failed, and nothing else', async () => {
      assert.deepEqual(await run.result('tryMustFail', coin(30)), [
        'Submit',
        'UserError',
        'Expected submit to fail but it succeeded',
      ])
      assert.match((await run.failure('tryThrown')).message, /Oops: of a script$/)
    })

    test('a question of an unknown name fails with its name and version', async () => {
      assert.equal((await run.failure('unknown')).message, 'Unknown command Nonsense - Version 7')
    })

    test('messages of trace come as they are', async () => {
      const { outcome, traces } = await run.outcomeOf('debugging', undefined)
      assert.deepEqual(outcome, { kind: 'succeeded', result: '"done"' })
      assert.deepEqual(traces, ['before', 'after'])
    })

    test('a value that is no script, because it fails', async () => {
      assert.match((await run.failure('error')).message, /^User abort: not even a script$/)
    })
  })

  describe('arguments and bounds', () => {
    test('an argument has the type of the script', async () => {
      assert.equal(await run.result('doubled', '21'), '42')
      assert.match((await run.failure('doubled', { a: 1 })).message, /./)
    })

    test('steps, time and memory are bounded, and the next script runs', async () => {
      assert.equal((await run.failure('compute')).message, 'The script needs more steps than this node allows')
      const { message } = await run.failure('askForever', undefined, { timeOutMs: 3_000 })
      assert.equal(message, 'the script has not ended after 3 s; its last question was GetTime')
      const memory = 'the script needs more than 128 MB of memory; its last question was GetTime'
      assert.equal((await run.failure('devour')).message, memory)
      assert.equal(await run.result('doubled', '1'), '2')
    })
  })
})
