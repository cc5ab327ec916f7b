// Random values of a type in the form of recordings, for commands: parties and contract ids are those of a ledger.
import type { Type } from '../../../src/lf/syntax/ast.ts'
import { substitute } from '../../../src/lf/syntax/types.ts'
import type { DataTypes } from '../../../src/lf/values/data-types.ts'
import type { Recorded } from '../recorded-values.ts'
import type { Random } from './random.ts'
import { dateLiteral, int64Literal, numericLiteral, textLiteral } from './random-literals.ts'

export type ValueSource = {
  readonly random: Random
  readonly dataTypes: DataTypes
  readonly parties: readonly string[]
  /** The time of the submission. */
  readonly micros: bigint
  /** Keys of contracts on the ledger. */
  readonly keys: readonly Recorded[]
  /** How many contracts the program has made so far: `Made` refers to them. */
  made: number
  /** A contract id, usually one of the template. */
  contractId(of: Type): string
}

/** Constructors of the test packages: those that end a program are rare, those with programs inside are not. */
const tagWeights: ReadonlyMap<string, number> = new Map([
  ...['Error', 'Fail', 'ThrowSpeechless', 'HandlerErrors', 'HandlerThrows', 'Rethrow'].map(
    (tag) => [tag, 0.15] as const,
  ),
  ...['FetchByOtherInterface', 'KeepByOtherInterface', 'ReturnNested', 'CreateWithCodePoints'].map(
    (tag) => [tag, 0.15] as const,
  ),
  ...['QueryKeyWithId', 'CreateKeyWithId'].map((tag) => [tag, 0.1] as const),
  ...['Throw', 'Archive', 'ArchiveOther', 'FetchOther', 'Consume', 'ConsumeByInterface', 'ConsumeByKey'].map(
    (tag) => [tag, 0.5] as const,
  ),
  ...['Create', 'CreateByInterface', 'Try'].map((tag) => [tag, 3] as const),
  ['Made', 0.1],
  ['Handle', 4],
  ['HandleOops', 2],
])

const numericText = (unscaled: bigint, scale: number): string => {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}.${digits.slice(digits.length - scale)}`
}

export function randomValue(type: Type, source: ValueSource, levels: number): Recorded {
  const { random } = source
  const inner = (of: Type): Recorded => randomValue(of, source, levels - 1)
  const several = <Item>(make: () => Item, most = 3): Item[] => {
    return Array.from({ length: levels <= 0 ? 0 : random.below(most + 1) + (levels >= 3 ? 1 : 0) }, make)
  }
  if (type.kind === 'constructor') return ofData(type, source, levels)
  if (type.kind !== 'builtin') throw new Error(`no values of ${type.kind}`)
  const [first, second] = type.args as [Type, Type]
  switch (type.name) {
    case 'Unit':
      return { unit: true }
    case 'Bool':
      return { bool: random.chance(0.5) }
    case 'Int64':
      return { int64: String(random.chance(0.9) ? random.pick([0, 0, 0, 0, 1, 1, 2, 3]) : int64Literal(random)) }
    case 'Text':
      return { text: random.chance(0.6) ? random.pick(['a', 'b']) : textLiteral(random) }
    case 'Party':
      return { party: random.chance(0.8) ? source.parties[0] : random.pick(source.parties) }
    case 'Date':
      return { date: new Date(dateLiteral(random) * 86_400_000).toISOString().slice(0, 10) }
    case 'Timestamp':
      return {
        timestamp: String(
          source.micros + BigInt(random.below(7) - 3) * random.pick([0n, 1n, 1_000_000n, 86_400_000_000n]),
        ),
      }
    case 'Numeric': {
      const scale = first.kind === 'nat' ? first.value : 0
      const unscaled = random.chance(0.7)
        ? (BigInt(1 + random.below(300)) * 10n ** BigInt(Math.max(scale - 1, 0))) % 10n ** 38n
        : numericLiteral(random, scale)
      return { numeric: numericText(unscaled, scale) }
    }
    case 'ContractId':
      return { contractId: source.contractId(first) }
    case 'Optional':
      return levels > 0 && random.chance(0.3) ? { some: inner(first) } : { none: true }
    case 'List':
      // A list of parties is seldom empty: most of them are signatories or controllers.
      if (first.kind === 'builtin' && first.name === 'Party' && random.chance(0.85)) {
        const names = random.chance(0.8)
          ? source.parties.slice(0, 1)
          : random.shuffled(source.parties).slice(0, 1 + random.below(2))
        return { list: names.map((party) => ({ party })) }
      }
      return {
        list: isAction(first) ? ofProgram(source, () => several(() => inner(first))) : several(() => inner(first)),
      }
    case 'TextMap':
      return { textMap: [...new Map(several((): [string, Recorded] => [textLiteral(random), inner(first)]))] }
    case 'GenMap': {
      const entries = several((): [Recorded, Recorded] => [inner(first), inner(second)])
      return { genMap: [...new Map(entries.map((entry) => [JSON.stringify(entry[0]), entry])).values()] }
    }
    default:
      throw new Error(`no values of ${type.name}`)
  }
}

function ofData(type: Type & { kind: 'constructor' }, source: ValueSource, levels: number): Recorded {
  const { random, dataTypes } = source
  const { parameters, constructors } = dataTypes.definition(type.id)
  const bound = new Map(parameters.map(({ name }, index) => [name, type.args[index]!]))
  const inner = (of: Type, less = 1): Recorded => randomValue(substitute(of, bound), source, levels - less)
  if (type.id.name === 'Key' && source.keys.length > 0 && random.chance(0.7)) return random.pick(source.keys)
  switch (constructors.kind) {
    case 'record':
      return {
        record: constructors.fields.map((field) =>
          field.name === 'count' && random.chance(0.9) ? { int64: String(1 + random.below(3)) } : inner(field.type, 0),
        ),
      }
    case 'variant': {
      // At the bottom, a constructor that does not lead back here.
      const simple = constructors.fields.filter(
        ({ type: content }) => content.kind === 'builtin' && content.args.length === 0,
      )
      const fields = levels <= 0 && simple.length > 0 ? simple : constructors.fields
      if (type.id.name === 'Ref' && source.made > 0 && random.chance(0.5)) {
        return { variant: ['Made', { int64: String(random.below(source.made)) }] }
      }
      const field = random.weighted(fields.map((each) => [tagWeights.get(each.name) ?? 1, each] as const))
      const content = inner(field.type)
      if (field.name.startsWith('Create')) source.made += 1
      return { variant: [field.name, content] }
    }
    case 'enum':
      // The first constructor is usually the one without a fault.
      return { enum: random.chance(0.93) ? constructors.names[0] : random.pick(constructors.names) }
    case 'interface':
      throw new Error('no values of interfaces')
  }
}

const isAction = (type: Type): boolean => type.kind === 'constructor' && type.id.name === 'Action'

/** What a program makes is not known outside of it. */
function ofProgram<Result>(source: ValueSource, make: () => Result): Result {
  const { made } = source
  try {
    return make()
  } finally {
    source.made = made
  }
}
