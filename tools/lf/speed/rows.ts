// What is compared: each row is a case for both engines, and how many operations it stands for.
import { generatedDar } from '../../../bench/generated-dar.ts'
import { contractId, id, int64, list, numeric, party, record, text, textMap, type Value } from '../cases/case.ts'

export type SpeedRow = {
  readonly name: string
  /** In the form that `record` takes, or `{ dar }`. */
  readonly case: Readonly<Record<string, unknown>>
  /** Operations in one run. */
  readonly operations: number
  /** Subtracted from this row: the loop without its builtin. */
  readonly without?: string
  /** How many times as fast as the reference ours should be; absent for what is only reported. */
  readonly aim?: number
  /** Ours starts from JSON and makes events, where the reference has its values ready. */
  readonly isFromJson?: boolean
}

const size = 2_000
const items = <T>(make: (i: number) => T): T[] => Array.from({ length: size }, (_, i) => make(i))
const evaluate = (name: string, ...args: Value[]) => ({ evaluate: `#speed:Speed:${name}`, arguments: args })
const loop = (name: string, value: string, args: Value[], without: string, aim = 2): SpeedRow => ({
  name,
  case: evaluate(value, ...args),
  operations: size,
  without,
  aim,
})

/** Different keys, as parties and ids are: a common start, then digits. */
const keys = items((i) => `entry-${(i * 7919) % 100_003}::1220ab`)
const keyList = list(...keys.map(text))
const map = textMap(...keys.map((key): [string, Value] => [key, int64(1)]))
const texts = (length: number) => list(...items((i) => text(`${i}`.padEnd(length, 'abcdefghij'))))
const wholes = {
  5: (i: number) => 49 * (i + 1),
  7: (i: number) => (i + 1) ** 2,
  13: (i: number) => (i + 1) ** 2 * 999_917,
}
const amounts = (digits: keyof typeof wholes) => {
  return list(...items((i) => numeric(`${wholes[digits](i)}.${`${i}37`.padEnd(10, '0')}`)))
}

export const builtinRows: readonly SpeedRow[] = [
  { name: 'loop over texts', case: evaluate('nothing', keyList), operations: size },
  // Of the 0.24 µs that Node's hash of 40 characters takes, 0.2 are the call; SHA-256 in JavaScript takes 0.28 µs for
  // each block of 64 bytes. The reference's time is that of the processor's instructions.
  ...(
    [
      [40, 0.7],
      [400, 0.9],
      [4_000, 1.2],
    ] as const
  ).map(([length, aim]) =>
    loop(`SHA256_TEXT, ${length} characters`, 'sha256', [texts(length)], 'loop over texts', aim),
  ),
  loop('TEXTMAP_INSERT into up to 2,000', 'inserts', [keyList], 'loop over texts'),
  loop('GENMAP_INSERT into up to 2,000', 'insertsOfKeys', [keyList], 'loop over texts'),
  loop('TEXTMAP_LOOKUP in 2,000', 'lookups', [map, keyList], 'loop over texts'),
  loop('TEXTMAP_DELETE from 2,000', 'deletes', [map, keyList], 'loop over texts'),
  loop('TEXTMAP_TO_LIST and fold, 2,000', 'entries', [map], 'loop over texts'),
  { name: 'loop over numbers', case: evaluate('nothing10', amounts(7)), operations: size },
  ...([5, 7, 13] as const).flatMap((digits) =>
    [
      ['ADD_NUMERIC', 'adds'],
      ['MUL_NUMERIC', 'products'],
      ['DIV_NUMERIC', 'quotients'],
      ['ROUND_NUMERIC', 'rounds'],
      ['NUMERIC_TO_TEXT', 'texts'],
    ].map(([builtin, value]) =>
      loop(`${builtin}, up to ${digits} digits before the point`, value!, [amounts(digits)], 'loop over numbers'),
    ),
  ),
  loop('TEXT_TO_NUMERIC', 'numbers', [list(...items((i) => text(`${i}.5`)))], 'loop over texts'),
]

/** Commands of the recording of the quickstart package, by name. */
export const interpreted = [
  'several at once',
  'create, both',
  'accept',
  'split',
  'merge',
  'offer',
  'accept the offer',
  'total',
]

/**
 * Commands that do little but create miss it: a create needs two HMACs, a command one more, and each is two calls of Node's
 * hash. They take more than half of the time of `split`.
 */
export const interpretationAim = 5

const [admin, alice, bob] = ['admin', 'alice', 'bob'].map((name) =>
  `${name}::1220${name.length}`.padEnd(74, 'abcdef01'),
)
const token = (number: number) => ({
  id: id(number),
  template: '#speed:Token:Token',
  argument: record(party(admin!), party(alice!), numeric('12.5000000000'), textMap(['reason', text('transfer')])),
  signatories: [admin, alice].sort(),
  observers: [],
})
const transfer = (inputs: number): SpeedRow => {
  const numbers = Array.from({ length: inputs }, (_, index) => index + 2)
  const ids = list(...numbers.map((number) => contractId(id(number))))
  const rules = { id: id(1), template: '#speed:Token:Rules', argument: record(party(admin!)), observers: [] }
  return {
    name: `tokens: a transfer of ${inputs} to two`,
    case: {
      actAs: [admin, alice, bob],
      contracts: [{ ...rules, signatories: [admin] }, ...numbers.map(token)],
      commands: [
        {
          exercise: '#speed:Token:Rules',
          contractId: id(1),
          choice: 'Rules_Transfer',
          argument: record(party(alice!), party(bob!), numeric('1.0000000000'), ids),
        },
      ],
    },
    operations: 1,
    aim: interpretationAim,
  }
}
export const tokenRows = [1, 10].map(transfer)

export const fromJson: SpeedRow = {
  name: 'quickstart: CreateAndExercise of a split, ours from JSON to events',
  case: {
    actAs: ['Bank', 'Alice'],
    contracts: [],
    commands: [
      {
        createAndExercise: '#quickstart:Iou:Iou',
        createArgument: record(party('Bank'), party('Alice'), numeric('100.0000000000'), text('EUR'), list()),
        choice: 'Iou_Split',
        choiceArgument: record(numeric('40.0000000000')),
      },
    ],
  },
  operations: 1,
  isFromJson: true,
}

/** Decoding and checking a generated DAR of 50 packages; its file is written there. */
export const generated = generatedDar
