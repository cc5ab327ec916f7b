// Authorization: each action under every combination of authorizers, and what others then see.
import { type Case, type Cases, id, settings, type Value } from './case.ts'
import * as effects from './effects.ts'
import { consume, contract, create, fetch, given, keep, made, program, target } from './effects.ts'

const everyone = [[], ['Alice'], ['Bob'], ['Charlie'], ['Alice', 'Bob'], ['Alice', 'Bob', 'Charlie']]
const held = contract(2, { signatories: ['Alice', 'Bob'], observers: ['Charlie'] })

/** As commands, so that the authorizers are exactly the submitters. */
const commands = everyone.flatMap((actAs) => {
  const by = `by ${actAs.join(', ') || 'nobody'}`
  const exercise = (choice: string, controllers: string[], program: Value[] = []) => ({
    exercise: '#effects-lf21:Effects:Target',
    contractId: id(2),
    choice,
    argument: effects.doing({ controllers, observers: ['Zoe'], program }),
  })
  return [
    {
      name: `create for Alice and Bob ${by}`,
      actAs,
      commands: [
        {
          create: '#effects-lf21:Effects:Target',
          argument: target({ signatories: ['Alice', 'Bob'], observers: ['Charlie'] }),
        },
      ],
    },
    {
      name: `consume, controlled by Charlie, ${by}`,
      actAs,
      commands: [exercise('Consume', ['Charlie'])],
      contracts: [held],
    },
    {
      name: `keep, controlled by Alice and Charlie, ${by}`,
      actAs,
      commands: [exercise('Keep', ['Alice', 'Charlie'])],
      contracts: [held],
    },
    {
      name: `keep, controlled by Charlie, creating for signatories and controller, ${by}`,
      actAs,
      commands: [exercise('Keep', ['Charlie'], [create({ signatories: ['Alice', 'Bob', 'Charlie'] })])],
      contracts: [held],
    },
    {
      name: `keep, controlled by Charlie, creating for a submitter, ${by}`,
      actAs,
      commands: [exercise('Keep', ['Charlie'], [create({ signatories: ['Dora'] })])],
      contracts: [held],
    },
    {
      name: `archive ${by}`,
      actAs,
      commands: [
        { exercise: '#effects-lf21:Effects:Target', contractId: id(2), choice: 'Archive', argument: { record: [] } },
      ],
      contracts: [held],
    },
    {
      name: `keep by interface, controlled by Bob, ${by}`,
      actAs,
      commands: [
        {
          exercise: '#effects-lf21:Effects:Asset',
          contractId: id(2),
          choice: 'Asset_Keep',
          argument: effects.doing({ controllers: ['Bob'] }),
        },
      ],
      contracts: [held],
    },
  ] satisfies Case[]
})

const inProgram = (name: string, actAs: string[], actions: Value[], contracts: Case[] = [held]) =>
  program(name, actAs, actions, { contracts })
const fetches = [['Alice'], ['Bob'], ['Charlie'], ['Dora'], ['Alice', 'Dora'], ['Alice', 'Bob', 'Charlie']].flatMap(
  (actAs) => [
    inProgram(`fetch by ${actAs.join(', ')}`, actAs, [fetch(given(2))]),
    inProgram(`fetch by interface by ${actAs.join(', ')}`, actAs, [effects.fetchByInterface(given(2))]),
  ],
)

const more = [
  { ...inProgram('reading gives no authority', ['Dora'], [fetch(given(2))]), readAs: ['Alice'] },
  inProgram(
    'the controller lends its authority to the body only',
    ['Alice', 'Charlie'],
    [
      keep(given(2), { controllers: ['Charlie'], program: [create({ signatories: ['Bob', 'Charlie'] })] }),
      create({ signatories: ['Bob'] }),
    ],
  ),
  inProgram(
    'the submitter is not an authorizer inside the body',
    ['Alice', 'Dora'],
    [keep(given(2), { controllers: ['Alice'], program: [create({ signatories: ['Dora'] })] })],
  ),
  inProgram(
    'a signatory that did not submit is one',
    ['Alice', 'Dora'],
    [keep(given(2), { controllers: ['Dora'], program: [create({ signatories: ['Bob', 'Dora'] })] })],
  ),
  inProgram(
    'through two contracts',
    ['Alice'],
    [
      keep(given(2), {
        controllers: ['Alice'],
        program: [keep(given(3), { controllers: ['Bob'], program: [create({ signatories: ['Bob', 'Erin'] })] })],
      }),
    ],
    [held, contract(3, { signatories: ['Erin'], observers: ['Bob'] })],
  ),
  inProgram(
    'through two contracts, one party too many',
    ['Alice'],
    [
      keep(given(2), {
        controllers: ['Alice'],
        program: [keep(given(3), { controllers: ['Bob'], program: [create({ signatories: ['Alice', 'Erin'] })] })],
      }),
    ],
    [held, contract(3, { signatories: ['Erin'], observers: ['Bob'] })],
  ),
]

/** A witness of the parent sees its children, but not its siblings. */
const visibility = [
  inProgram(
    'witnesses: consuming shows to observers, keeping does not',
    ['Alice'],
    [
      create({ signatories: ['Alice'], observers: ['Olga'] }),
      keep(made(0), { controllers: ['Alice'], program: [create({ signatories: ['Alice'], observers: ['Kurt'] })] }),
      consume(made(0), { controllers: ['Alice'], program: [create({ signatories: ['Alice'], observers: ['Karl'] })] }),
    ],
    [],
  ),
  inProgram(
    'witnesses: choice observers see the children',
    ['Alice'],
    [
      keep(given(2), {
        controllers: ['Alice'],
        observers: ['Zoe'],
        program: [fetch(given(2)), create({ signatories: ['Alice'] })],
      }),
      create({ signatories: ['Alice'] }),
    ],
  ),
  inProgram(
    'divulgence: a witness who is no stakeholder',
    ['Alice'],
    [
      keep(given(2), {
        controllers: ['Alice'],
        observers: ['Zoe'],
        program: [fetch(given(3)), keep(given(3), { controllers: ['Alice'] })],
      }),
    ],
    [held, contract(3, { signatories: ['Alice'] })],
  ),
]

export default {
  ...settings,
  dars: ['test/lf/effects-lf21.dar'],
  cases: [...commands, ...fetches, ...more, ...visibility],
} satisfies Cases
