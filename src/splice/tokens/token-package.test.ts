import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePayload } from '../../lf/archive/archive.ts'
import { openDar } from '../../lf/dar/dar.ts'
import { tokenStandard } from '../packages/token-standard.ts'
import { linkTokenPackage, readStandInDar } from './token-package.ts'

test('the token package linked to Splice’s interfaces refers to them, and to no stand-in', () => {
  const { id, payload } = linkTokenPackage(tokenStandard)
  const { package: linked, checkBodies } = decodePayload(payload, id)
  assert.deepEqual([linked.name, linked.version], ['tallystick-token', '1.0.0'])
  const standIns = openDar(readStandInDar()).packages.filter(({ decode }) =>
    decode().package.name.startsWith('splice-'),
  )
  assert.equal(standIns.length, tokenStandard.length)
  const referred = new Set(checkBodies())
  assert.deepEqual(
    tokenStandard.filter(({ packageId }) => !referred.has(packageId)).map(({ name }) => name),
    [],
  )
  assert.ok(standIns.every((one) => !referred.has(one.id)))
})

test('the id of the token package is the same everywhere, because contracts of wallets name it', () => {
  assert.equal(linkTokenPackage(tokenStandard).id, 'a8e5ecd201ed45bab84df6526b3550fabea60551163862b06e5c9db767d4b0e7')
})

test('the token package linked to the stand-ins is the package as it was compiled', () => {
  const [main, ...others] = openDar(readStandInDar()).packages
  const standIns = others.map(({ id, decode }) => ({ name: decode().package.name, version: '1.0.0', packageId: id }))
  assert.equal(linkTokenPackage(standIns).id, main!.id)
})
