// Seeds against the reference engine, and against the definition of HMAC.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { localContractId, nodeSeed, transactionSeed } from './seeds.ts'

const time = 1767225600000000 // 2026-01-01T00:00:00Z
const submission = Buffer.from('5eed'.repeat(16), 'hex')
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

// Recorded from the reference engine: an exercise command whose first action is a create for Alice.
test('seeds and ids are those of the reference engine', () => {
  const transaction = transactionSeed(submission, 'participant', time)
  const exercise = nodeSeed(transaction, 0)
  const create = nodeSeed(exercise, 0)
  assert.equal(hex(exercise), '3d75923eee7e0582b9870c74c4a57ee99d1047e49c3d05d4c241e4ed92b5a7c0')
  assert.equal(hex(create), '0c01c2b75e34f05edd9ba8721a5b67d8cc02893b0104a3b0a638488cb7e1275f')
  assert.equal(hex(nodeSeed(exercise, 1)), 'd496ff816da0f2ef47bc868b9edb6cf89b5d1c0a4c2b7fb8ba586aeb7e16e810')
  assert.equal(
    localContractId(create, time, ['Alice']),
    '00fddd272fd41bcd276a795c3c3dfe4c2328ff73f08c3c683c0fcc49a6a6741042',
  )
})

const hmac = (key: Uint8Array, message: string) =>
  createHmac('sha256', key).update(Buffer.from(message, 'hex')).digest('hex')

test('a seed is an HMAC over big-endian numbers and length-prefixed texts', () => {
  const micros = '0006474846204000'
  assert.equal(BigInt(`0x${micros}`), BigInt(time))
  const participant = `0000000b${Buffer.from('participant').toString('hex')}`
  assert.equal(hex(transactionSeed(submission, 'participant', time)), hmac(submission, participant + micros))
  assert.equal(hex(nodeSeed(submission, 258)), hmac(submission, '00000102'))
  assert.equal(
    localContractId(submission, time, ['A', 'Bé']),
    `00${hmac(submission, `${micros}00000002${'0000000141'}${'0000000342c3a9'}`)}`,
  )
})
