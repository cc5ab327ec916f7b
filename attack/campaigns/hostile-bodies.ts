// Bodies that cost the node more than the client: large, deeply nested, long, slow to parse.
import assert from 'node:assert/strict'

import { writeZip } from '../../src/lf/dar/zip-writing.ts'
import { pick } from '../../test/fixtures/dice.ts'
import type { Campaign } from '../campaign.ts'
import { createWallet } from '../target/account.ts'
import { besiege, type Siege } from '../target/besieged.ts'
import type { Reply, Target } from '../target/target.ts'

const mebibyte = 1024 * 1024
const bodyBytes = 8 * mebibyte - 1024

const filled = (piece: string, bytes = bodyBytes) => piece.repeat(Math.floor(bytes / piece.length))

/** Just below the body limit, so that all of it is read. */
const bodies: Readonly<Record<string, () => string>> = {
  'many small numbers and one of sixteen digits': () => `[1234567890123456,${filled('1,')}1]`,
  'many numbers of sixteen digits': () => `[${filled('1234567890123456,')}1]`,
  'many numbers of eighteen decimals': () => `[${filled('0.123456789012345678,')}1]`,
  'one number of millions of digits': () => `{"a":${filled('9')}}`,
  'a list in a list without end': () => filled('['),
  'a list in a list': () => `${filled('[', bodyBytes / 2)}${filled(']', bodyBytes / 2)}`,
  'an object in an object': () => `${filled('{"a":', bodyBytes * 0.8)}1${filled('}', bodyBytes * 0.1)}`,
  'many empty objects': () => `[${filled('{},')}{}]`,
  'many keys': () => `{${Array.from({ length: 400_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
  'one key again and again': () => `{${filled('"commandId":"x",')}"a":1}`,
  'nothing but spaces': () => filled(' '),
  'one long text of escapes': () => `{"commandId":"${filled('\\u0041')}"}`,
  'one long text of quotes': () => `{"commandId":"${filled('\\"')}"}`,
  'one long text': () => `{"commandId":"${filled('x')}"}`,
  'many parties': () => `{"actAs":[${filled('"a::b",')}"a"]}`,
}

const paths = [
  '/v2/commands/submit-and-wait',
  '/v2/commands/async/submit',
  '/v2/updates',
  '/v2/state/active-contracts',
  '/v2/interactive-submission/prepare',
  '/v2/users',
  '/v2/parties/external/allocate',
]

function isRefused({ status }: Reply): boolean {
  return status >= 400 && status < 500
}

function siegeWith(name: string, token: (target: Target) => string | null): Siege[] {
  return Object.entries(bodies).map(([what, make]) => {
    let body: string | undefined
    return {
      name: `${what}, ${name}`,
      async attack(target, dice) {
        body ??= make()
        const reply = await target.call('POST', pick(dice, paths), { token: token(target), body })
        assert.ok(isRefused(reply), `${reply.status} ${reply.text.slice(0, 200)}`)
      },
    }
  })
}

/** A valid command, apart from one value of 8 MB. */
const inValues: Siege = {
  name: 'a large value in a good command',
  async attack(target, dice) {
    const large = pick(dice, [filled('x', bodyBytes - mebibyte), filled('[', 4 * mebibyte), filled('9', 4 * mebibyte)])
    const command = createWallet(target.attacker, `large-${dice(1_000_000)}`) as { commands: Record<string, unknown>[] }
    const create = command.commands[0]!.CreateCommand as Record<string, unknown>
    create.createArguments = pick<unknown>(dice, [
      { owner: large },
      { owner: target.attacker.party, [large]: 1 },
      [large],
    ])
    const { token } = target.attacker
    const reply = await target.call('POST', '/v2/commands/submit-and-wait', { token, body: command })
    assert.ok(isRefused(reply), `${reply.status} ${reply.text.slice(0, 200)}`)
  },
}

/** Zip bombs: small files with entries that unpack to as much as 60 MiB. */
const bombs: Siege = {
  name: 'zip files that unpack to much',
  async attack(target, dice) {
    const content = Buffer.alloc((1 + dice(60)) * mebibyte)
    const file = writeZip(
      ['META-INF/MANIFEST.MF', 'a.dalf'].map((name) => [name, content]),
      9,
    )
    const path = pick(dice, ['/v2/packages', '/v2/dars', '/v2/dars/validate'])
    const reply = await target.call('POST', path, { body: file })
    assert.ok(isRefused(reply), `${path} ${reply.status} ${reply.text.slice(0, 200)}`)
  },
}

/** Query strings and headers up to the limit. */
const heads: Siege = {
  name: 'long paths, queries and headers',
  async attack(target, dice) {
    const long = filled(pick(dice, ['a', '%2e', '/', '&x=', '%00', '=']), 12_000)
    const path = pick(dice, [`/v2/users/${long}`, `/v2/users?pageToken=${long}`, `/${long}`, `/v2/updates?${long}`])
    const reply = await target.call(pick(dice, ['GET', 'POST', 'PATCH', 'DELETE']), path, {
      token: `${filled('a.', 2_000)}`,
    })
    assert.ok(isRefused(reply), `${reply.status} ${reply.text.slice(0, 200)}`)
  },
}

const sieges: readonly Siege[] = [
  ...siegeWith('without a token', () => null),
  ...siegeWith('by a user', ({ attacker }) => attacker.token),
  inValues,
  bombs,
  heads,
]

export const hostileBodies: Campaign = {
  name: 'hostile bodies',
  attack: `${sieges.length} kinds of bodies, files and heads of the largest size, one after the other`,
  invariant: 'Each is refused with a 4xx; nobody else is refused or waits over 250 ms; memory stays bounded',
  unit: 'sieges',
  full: sieges.length,
  short: 1,
  run: (plan) => besiege(plan, sieges),
}
