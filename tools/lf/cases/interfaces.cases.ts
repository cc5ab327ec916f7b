// Interfaces from outside: choices by command, required interfaces, and views computed apart from any transaction.
import { type Case, type Cases, id, settings } from './case.ts'
import * as effects from './effects.ts'
import { contract, create, type Fault, target } from './effects.ts'

const alice = { signatories: ['Alice'], note: 'an asset' }
const exercise = (interfaceName: string, choice: string, program = [create(alice)]): Case => ({
  exercise: `#effects-lf21:Effects:${interfaceName}`,
  contractId: id(2),
  choice,
  argument: effects.doing({ controllers: ['Alice'], program }),
})
const by = (name: string, command: Case, contracts = [contract(2, alice)]): Case => ({
  name,
  actAs: ['Alice'],
  commands: [command],
  contracts,
})
const view = (interfaceName: string, argument: Case, template = 'Target'): Case => ({
  view: `#effects-lf21:Effects:${template}`,
  interface: `#effects-lf21:Effects:${interfaceName}`,
  argument,
})
const failing = (fault: Fault) => target({ ...alice, faults: { view: fault } })

export default {
  ...settings,
  dars: ['test/lf/effects-lf21.dar', 'packages/quickstart/quickstart.dar'],
  cases: [
    by('consuming choice of an interface', exercise('Asset', 'Asset_Consume')),
    by('other choice of an interface', exercise('Asset', 'Asset_Keep')),
    by('choice of a required interface', exercise('Base', 'Base_Keep')),
    by('choice of a required interface through the one that requires it', exercise('Asset', 'Base_Keep')),
    by('choice of the template through the interface', exercise('Asset', 'Keep')),
    by('choice of the interface through the template', exercise('Target', 'Asset_Keep')),
    by('interface that is not implemented', exercise('Badge', 'Badge_Keep')),
    by('interface that is not there', exercise('Nothing', 'Asset_Keep')),
    by('choice that is not there', exercise('Asset', 'Nothing')),
    by('contract of another template', exercise('Asset', 'Asset_Keep'), [effects.other(2, 'Alice')]),
    by('contract that is not there', exercise('Asset', 'Asset_Keep'), []),
    by('create an interface', { create: '#effects-lf21:Effects:Asset', argument: target(alice) }),
    view('Asset', target(alice)),
    view('Base', target(alice)),
    view('Asset', failing('Throws')),
    view('Asset', failing('Errors')),
    view('Badge', target(alice)),
    view('Badge', { record: [{ party: 'Alice' }] }, 'Other'),
    view('Asset', { record: [] }),
    view('Asset', target({ ...alice, signatories: [], faults: { precondition: 'Errors', signatories: 'Errors' } })),
    {
      view: '#quickstart:Iou:Iou',
      interface: '#quickstart:Holding:Holding',
      argument: {
        record: [{ party: 'Bank' }, { party: 'Alice' }, { numeric: '12.5000000000' }, { text: 'EUR' }, { list: [] }],
      },
    },
  ],
} satisfies Cases
