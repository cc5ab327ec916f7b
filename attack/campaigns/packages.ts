// Packages that no type checker would let through, or that only burn: uploaded by an administrator who was careless, and
// used by somebody with few rights. Written by src/engine/testing.
import assert from 'node:assert/strict'
import { type HostileChoice, hostilePackage } from '../../src/engine/testing/hostile-package.ts'
import { hostilePackages } from '../../src/engine/testing/hostile-packages.ts'
import { type HostilePackage, type IllTypedParts, illTypedPackage } from '../../src/engine/testing/ill-typed-package.ts'
import { expressionOfKind, valueKinds } from '../../src/engine/testing/kinds-of-values.ts'
import { sharedForms, sharedPackage } from '../../src/engine/testing/shared-package.ts'
import { darOf } from '../../src/lf/testing/package-writer.ts'
import { createDice, type Dice, pick } from '../../test/fixtures/dice.ts'
import { type Campaign, type Failure, failureOf, type Outcome, type Plan } from '../campaign.ts'
import { besiege, type Siege } from '../target/besieged.ts'
import { startTarget, type Target } from '../target/target.ts'

/** A process of the tests lives for half a minute. */
const packagesPerNode = 60

type Attempt = { readonly made: HostilePackage; readonly mayWork: boolean }

/** Where a value of another kind may stand. */
const slots = ['observers', 'signatories', 'controllers', 'choiceObservers', 'precondition', 'view', 'method'] as const

/** The table of known attacks first, then values of random kinds in random places. */
function attemptFor(index: number, seed: number): Attempt {
  const known = hostilePackages[index]
  if (known !== undefined) return { made: known, mayWork: false }
  const dice = createDice(seed)
  return { made: illTypedPackage(`random-${seed}`, (parts) => randomParts(parts, dice)), mayWork: true }
}

function randomParts(parts: IllTypedParts, dice: Dice) {
  const { write, types } = parts
  const any = () => expressionOfKind(pick(dice, valueKinds), parts)
  const returns = pick(dice, Object.values(types))
  const body = pick(dice, [
    () => write.pure(returns, any()),
    () => any(),
    () => write.pure(returns, write.call(any(), any())),
    () => write.pure(returns, write.structField(pick(dice, names), any())),
    () => write.create('T', any()),
    () => write.exercise('T', 'Go', any(), any()),
  ])()
  return { returns, body, ...(dice(2) === 0 && { [pick(dice, slots)]: any() }) }
}

const names = ['constructor', '__proto__', 'toString', 'then', 'a', 'owner', 'length', 'prototype', 'fields']

async function run({ seed, times, say }: Plan): Promise<Outcome> {
  const failures: Failure[] = []
  let made = 0
  let worked = 0
  for (let first = 0; first < times; first += packagesPerNode) {
    const count = Math.min(packagesPerNode, times - first)
    try {
      await using target = await startTarget()
      for (let index = first; index < first + count; index += 1) {
        made += 1
        if (await attempt(target, attemptFor(index, seed + index))) worked += 1
      }
      await checkReaders(target)
      await target.checkWell()
    } catch (error) {
      const kind = String((error as Error).message).includes('escaped') ? 'leaked' : 'broken'
      failures.push(failureOf(kind, seed, error, first + count))
    }
    say(`${made} packages, ${worked} of them worked`)
  }
  return { times: made, failures, note: `${worked} did what their types say` }
}

/** Whether it was accepted. Nobody may be told of a bug, and nothing may be told that only the host knows. */
async function attempt(
  { call, attacker }: Target,
  { made: { name, dar, templateId }, mayWork }: Attempt,
): Promise<boolean> {
  const uploaded = await call('POST', '/v2/packages', { body: dar })
  if (uploaded.status !== 200) {
    assert.equal(uploaded.status, 400, `${name}: ${uploaded.text}`)
    return false
  }
  const { party, userId, token } = attacker
  const command = { templateId, createArguments: { owner: party }, choice: 'Go', choiceArgument: {} }
  const commands = { commands: [{ CreateAndExerciseCommand: command }], commandId: name, userId, actAs: [party] }
  const reply = await call('POST', '/v2/commands/submit-and-wait-for-transaction', { token, body: { commands } })
  assert.doesNotMatch(reply.text, /escaped/, `${name} ran code of its own: ${reply.text}`)
  assert.ok(
    reply.status === 200 || (reply.status >= 400 && reply.status < 500),
    `${name}: ${reply.status} ${reply.text}`,
  )
  assert.ok(mayWork || reply.status !== 200, `${name} was accepted: ${reply.text}`)
  assert.ok(reply.json !== undefined, `${name}: the answer is no JSON: ${reply.text}`)
  return reply.status === 200
}

/** What was stored is JSON of the right shape for everybody who reads it. */
async function checkReaders({ call, attacker: { party, token } }: Target): Promise<void> {
  const eventFormat = { filtersByParty: { [party]: { cumulative: [] } }, verbose: true }
  const updateFormat = { includeTransactions: { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' } }
  const body = { beginExclusive: 0, updateFormat }
  for (const path of ['/v2/updates', '/v2/updates?limit=200']) {
    const reply = await call('POST', path, { token, body })
    assert.equal(reply.status, 200, reply.text.slice(0, 1_000))
    assert.ok(reply.json !== undefined, `what is stored is no JSON: ${reply.text.slice(0, 1_000)}`)
    assert.doesNotMatch(reply.text, /"forged"/)
  }
}

// ── Packages that burn

type Burning = {
  readonly dalf: Uint8Array
  readonly templateId: string
  readonly choice: string
  readonly choiceArgument: object
}

function burning(name: string, make: () => Burning): Siege {
  return {
    name,
    async prepare({ call }) {
      const { status, text } = await call('POST', '/v2/packages', { body: darOf({ 'hostile.dalf': make().dalf }) })
      assert.ok(status === 200 || status === 400, text) // One that stands for too much is refused at once.
    },
    async attack({ call, attacker }, dice) {
      const { userId, party, token } = attacker
      const { templateId, choice, choiceArgument } = make()
      const command = { templateId, createArguments: { owner: party }, choice, choiceArgument }
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          const commandId = `burn-${dice(2 ** 31)}`
          const body = { commands: [{ CreateAndExerciseCommand: command }], commandId, userId, actAs: [party] }
          const reply = await call('POST', '/v2/commands/submit-and-wait', { token, body })
          const told = `${name}: ${reply.status} ${reply.text.slice(0, 500)}`
          assert.ok(reply.status !== 500 && reply.json?.code !== 'NA', told)
        }),
      )
    },
  }
}

const choices: readonly HostileChoice[] = ['Loop', 'Recurse', 'Grow', 'Pile', 'Same', 'Fork', 'Flood']
const burningSieges: readonly Siege[] = [
  ...choices.map((choice) =>
    burning(choice, () => {
      const { dalf, command } = hostilePackage()
      return { dalf, ...command(choice, choice === 'Fork' || choice === 'Same' ? 26 : 0) }
    }),
  ),
  ...sharedForms.map((form) =>
    burning(`shared ${form}`, () => {
      const { dalf, command } = sharedPackage(20)
      return { dalf, ...command(form) }
    }),
  ),
]

export const packageCampaigns: Campaign[] = [
  {
    name: 'hostile packages',
    attack: 'values of another kind everywhere: escapes to JavaScript, forged fields, wrong parties, random kinds',
    invariant: 'Each ends in a refusal with its reason; no code of the host runs, nothing malformed is stored, no 500',
    unit: 'packages',
    full: 600,
    short: hostilePackages.length,
    run,
  },
  {
    name: 'burning packages',
    attack: 'commands that use up time, steps, stack, memory and nodes, or unfold to 2²⁰ expressions, four at a time',
    invariant: 'Each is stopped with its reason; nobody else is refused or waits over 250 ms; memory stays bounded',
    unit: 'sieges',
    full: burningSieges.length,
    short: 1,
    run: (plan) => besiege(plan, burningSieges),
  },
]
