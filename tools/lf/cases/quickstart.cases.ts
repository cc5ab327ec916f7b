// The quickstart package: its typical use, and each of its refusals.
import {
  type Case,
  type Cases,
  contractId,
  id,
  list,
  numeric,
  party,
  record,
  settings,
  text,
  type Value,
} from './case.ts'
import { parties } from './effects.ts'

const iou = (owner: string, amount: string, currency = 'EUR', observers: string[] = []): Value =>
  record(party('Bank'), party(owner), numeric(amount), text(currency), parties(...observers))
const held = (number: number, owner: string, amount: string, currency = 'EUR', observers: string[] = []): Case => ({
  id: id(number),
  template: '#quickstart:Iou:Iou',
  argument: iou(owner, amount, currency, observers),
  signatories: ['Bank', owner],
  observers,
})
const wallet = {
  id: id(9),
  template: '#quickstart:Wallet:Wallet',
  argument: record(party('Alice')),
  signatories: ['Alice'],
  observers: [],
}
const offer = {
  id: id(8),
  template: '#quickstart:Iou:TransferOffer',
  argument: record(iou('Alice', '10.0000000000'), party('Bob')),
  signatories: ['Alice', 'Bank'],
  observers: ['Bob'],
}
const proposal = {
  id: id(7),
  template: '#quickstart:Iou:IouProposal',
  argument: record(iou('Alice', '10.0000000000')),
  signatories: ['Bank'],
  observers: ['Alice'],
}

const by = (name: string, actAs: string | string[], commands: Case | Case[], contracts: Case[] = []): Case => ({
  name,
  actAs: [actAs].flat(),
  commands: [commands].flat(),
  contracts,
})
const exercise = (template: string, number: number, choice: string, ...fields: Value[]): Case => ({
  exercise: `#quickstart:${template}`,
  contractId: id(number),
  choice,
  argument: record(...fields),
})
const alices = held(2, 'Alice', '10.0000000000', 'EUR', ['Olga'])

export default {
  ...settings,
  dars: ['packages/quickstart/quickstart.dar'],
  cases: [
    by('propose', 'Bank', { create: '#quickstart:Iou:IouProposal', argument: record(iou('Alice', '10.0000000000')) }),
    by('accept', 'Alice', exercise('Iou:IouProposal', 7, 'IouProposal_Accept'), [proposal]),
    by('accept, by the issuer', 'Bank', exercise('Iou:IouProposal', 7, 'IouProposal_Accept'), [proposal]),
    by('accept a worthless proposal', 'Alice', exercise('Iou:IouProposal', 7, 'IouProposal_Accept'), [
      { ...proposal, argument: record(iou('Alice', '0.0000000000')) },
    ]),
    by('reject', 'Alice', exercise('Iou:IouProposal', 7, 'IouProposal_Reject'), [proposal]),
    by('withdraw a proposal', 'Bank', exercise('Iou:IouProposal', 7, 'Archive'), [proposal]),
    by('issue to oneself', 'Bank', {
      createAndExercise: '#quickstart:Wallet:Wallet',
      createArgument: record(party('Bank')),
      choice: 'Wallet_Issue',
      choiceArgument: record(numeric('100.0'), text('EUR')),
    }),
    by('issue a negative amount', 'Bank', {
      createAndExercise: '#quickstart:Wallet:Wallet',
      createArgument: record(party('Bank')),
      choice: 'Wallet_Issue',
      choiceArgument: record(numeric('-100.0'), text('EUR')),
    }),
    by('create without the owner', 'Bank', { create: '#quickstart:Iou:Iou', argument: iou('Alice', '10.0000000000') }),
    by('create, both', ['Alice', 'Bank'], { create: '#quickstart:Iou:Iou', argument: iou('Alice', '10.0000000000') }),
    by('create, worthless', ['Alice', 'Bank'], {
      create: '#quickstart:Iou:Iou',
      argument: iou('Alice', '0.0000000000'),
    }),
    by('split', 'Alice', exercise('Iou:Iou', 2, 'Iou_Split', numeric('2.5')), [alices]),
    by('split all', 'Alice', exercise('Iou:Iou', 2, 'Iou_Split', numeric('10.0')), [alices]),
    by('split nothing', 'Alice', exercise('Iou:Iou', 2, 'Iou_Split', numeric('0.0')), [alices]),
    by('split, by another', 'Bob', exercise('Iou:Iou', 2, 'Iou_Split', numeric('2.5')), [alices]),
    by('merge', 'Alice', exercise('Iou:Iou', 2, 'Iou_Merge', contractId(id(3))), [
      alices,
      held(3, 'Alice', '0.5000000000'),
    ]),
    by('merge another currency', 'Alice', exercise('Iou:Iou', 2, 'Iou_Merge', contractId(id(3))), [
      alices,
      held(3, 'Alice', '0.5000000000', 'CHF'),
    ]),
    by('merge with itself', 'Alice', exercise('Iou:Iou', 2, 'Iou_Merge', contractId(id(2))), [alices]),
    by('merge what is not there', 'Alice', exercise('Iou:Iou', 2, 'Iou_Merge', contractId(id(3))), [alices]),
    by('offer', 'Alice', exercise('Iou:Iou', 2, 'Iou_Offer', party('Bob')), [alices]),
    by('accept the offer', 'Bob', exercise('Iou:TransferOffer', 8, 'TransferOffer_Accept'), [offer]),
    by('accept the offer, by another', 'Charlie', exercise('Iou:TransferOffer', 8, 'TransferOffer_Accept'), [offer]),
    by('reject the offer', 'Bob', exercise('Iou:TransferOffer', 8, 'TransferOffer_Reject'), [offer]),
    by('withdraw the offer', 'Alice', exercise('Iou:TransferOffer', 8, 'TransferOffer_Withdraw'), [offer]),
    by('show', 'Alice', exercise('Iou:Iou', 2, 'Iou_Show', parties('Bob', 'Charlie')), [alices]),
    by('archive, by the owner alone', 'Alice', exercise('Iou:Iou', 2, 'Archive'), [alices]),
    by('archive, both', ['Alice', 'Bank'], exercise('Iou:Iou', 2, 'Archive'), [alices]),
    by('redeem', 'Alice', exercise('Holding:Holding', 2, 'Holding_Redeem'), [alices]),
    by('archive through the interface', ['Alice', 'Bank'], exercise('Holding:Holding', 2, 'Archive'), [alices]),
    by(
      'total',
      'Alice',
      exercise(
        'Wallet:Wallet',
        9,
        'Wallet_Total',
        list(contractId(id(2)), contractId(id(3)), contractId(id(4))),
        text('EUR'),
      ),
      [wallet, alices, held(3, 'Alice', '0.5000000000'), held(4, 'Alice', '7.0000000000', 'CHF')],
    ),
    by(
      'total of what is not mine',
      'Alice',
      exercise('Wallet:Wallet', 9, 'Wallet_Total', list(contractId(id(2))), text('EUR')),
      [wallet, held(2, 'Bob', '1.0000000000')],
    ),
    by(
      'several at once',
      'Alice',
      [exercise('Iou:Iou', 2, 'Iou_Split', numeric('4.0')), exercise('Iou:Iou', 3, 'Iou_Offer', party('Bob'))],
      [alices, held(3, 'Alice', '0.5000000000')],
    ),
    by(
      'the same twice',
      'Alice',
      [exercise('Iou:Iou', 2, 'Iou_Offer', party('Bob')), exercise('Iou:Iou', 2, 'Iou_Offer', party('Bob'))],
      [alices],
    ),
  ],
} satisfies Cases
