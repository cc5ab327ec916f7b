import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Validator } from '../founding/parties.ts'
import { type Contract, type Participant, ParticipantRefusal } from '../ledger/participant.ts'
import { walletOf } from './amulet-operations.ts'

const wallet = (endUserName: string, endUserParty: string, validatorParty = 'host') =>
  ({ contractId: endUserName, payload: { endUserName, endUserParty, validatorParty } }) as unknown as Contract

/** All wallets are seen by the validator, and each by its own party; nobody may read for a stranger. */
function validatorWith(...wallets: readonly Contract[]) {
  const reads: string[] = []
  const participant = {
    async contracts(_: string, [party]: readonly [string]) {
      reads.push(party)
      if (party === 'stranger') throw new ParticipantRefusal(403, 'PERMISSION_DENIED', 'no')
      return wallets.filter(({ payload }) => party === 'host' || payload.endUserParty === party)
    },
  } as unknown as Participant
  return { reads, validator: { participant, party: 'host' } as Validator }
}

test('a wallet is found as its party sees it, without reading those of others', async () => {
  const { validator, reads } = validatorWith(wallet('ann', 'a'), wallet('bob', 'b'))
  assert.equal((await walletOf(validator, 'ann', 'a'))?.contractId, 'ann')
  assert.deepEqual(reads, ['a'])
})

test('a wallet of another party than the user’s first one is found, too', async () => {
  const { validator } = validatorWith(wallet('ann', 'a'))
  assert.equal((await walletOf(validator, 'ann', 'other'))?.contractId, 'ann')
  assert.equal((await walletOf(validator, 'ann', 'stranger'))?.contractId, 'ann')
  assert.equal((await walletOf(validator, 'ann'))?.contractId, 'ann')
})

test('a wallet at another validator, or of another user, is not this one', async () => {
  const { validator, reads } = validatorWith(wallet('ann', 'a', 'elsewhere'), wallet('bob', 'a'))
  assert.equal(await walletOf(validator, 'ann', 'a'), undefined)
  assert.deepEqual(reads, ['a', 'host'])
})
