// A payment, from the IOU to the balances. `npm run demo` runs it beside a node of its own, which `tallystick exec` describes
// in the environment; with the same variables it runs against any other node.
import { openDesk } from './desk.ts'
import { connect } from './ledger.ts'

const desk = openDesk(connect({ url: variable('TALLYSTICK_URL'), token: variable('TALLYSTICK_TOKEN_DESK') }))
const [bank, alice, bob] = ['BANK', 'ALICE', 'BOB'].map((name) => variable(`TALLYSTICK_PARTY_${name}`)) as [
  string,
  string,
  string,
]

await desk.issue(bank, alice, '100', 'EUR')
await desk.acceptAll(alice)
console.log(`the bank owes alice ${await desk.balance(alice, 'EUR')} EUR`)

await desk.pay(alice, bob, '30', 'EUR')
await desk.acceptAll(bob)
console.log(`after a payment: alice ${await desk.balance(alice, 'EUR')} EUR, bob ${await desk.balance(bob, 'EUR')} EUR`)

function variable(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set; npm run demo sets it`)
  return value
}
