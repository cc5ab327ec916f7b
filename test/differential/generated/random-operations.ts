// Builtins that give a value of a type, and what else only some types have.
import type { Expression, Parameter, Type } from '../../../src/lf/syntax/ast.ts'
import type { BuiltinName } from '../../../src/lf/syntax/builtins.ts'
import { substitute } from '../../../src/lf/syntax/types.ts'
import type { Generator, Option, Options } from './generator.ts'
import { randomScale } from './random-types.ts'
import { builtin, e, keyOf, p, types } from './syntax.ts'

const { unit, bool, int64, text, date, timestamp, party, any, typeRep, anyException } = types
const orders = ['EQUAL', 'LESS', 'LESS_EQ', 'GREATER', 'GREATER_EQ'] as const
const intOperators = ['ADD_INT64', 'SUB_INT64', 'MUL_INT64', 'DIV_INT64', 'MOD_INT64', 'EXP_INT64'] as const
const publicKey =
  '3056301006072a8648ce3d020106052b8104000a03420004bb50e2d89a4ed70663d080659fe0ad4b9bc3e06c17a227433966cb59ceee020d' +
  'ecddbf6e00192011648d13b1c00af770c0c1bb609d4d3a5c98a43772e0e18ef4'

/** UTF-16 and code points order them differently. */
const highTexts = [
  '\u{1F600}',
  '\uFFFF',
  '\uFB01',
  '\u{10FFFF}',
  '\uE000',
  'a\u{1F600}',
  'a\uFFFD',
  '\uD7FF',
  '\u{1F600}a',
]

export function operationsFor(generator: Generator): Options {
  const { random, data } = generator

  const ofType: Options = (type, scope, levels) => {
    const inner = (of: Type): Expression => generator.expression(of, scope, levels - 1)
    const call = (name: BuiltinName, those: readonly Type[], ...args: Type[]): Expression => {
      return builtin(name, those, ...args.map(inner))
    }
    const anyType = (): Type => generator.type(scope, 1)
    /** What is in an Optional, or something else. */
    const orElse = (optional: Expression): Expression => {
      const found = generator.name()
      return e.match(optional, [p.none, inner(type)], [p.some(found), e.variable(found)])
    }
    if (type.kind === 'constructor') return ofData(type, inner)
    if (type.kind === 'struct') {
      const field = random.pick(type.fields)
      return [[2, () => e.structWith(field.name, inner(type), inner(field.type))]]
    }
    if (type.kind !== 'builtin') return []
    const [first, second] = type.args as [Type, Type]
    switch (type.name) {
      case 'Int64':
        return [
          [6, () => call(random.pick(intOperators), [], int64, int64)],
          [1, () => numericOf((scaled, scale) => call('NUMERIC_TO_INT64', [scale], scaled))],
          [1, () => call('DATE_TO_UNIX_DAYS', [], date)],
          [1, () => call('TIMESTAMP_TO_UNIX_MICROSECONDS', [], timestamp)],
          [1, () => sized(anyType(), anyType())],
          [1, () => orElse(call('TEXT_TO_INT64', [], text))],
        ]
      case 'Numeric':
        return ofNumeric(type, first, call, orElse)
      case 'Text':
        return ofText(call, inner)
      case 'Bool':
        return ofBool(call, inner, anyType)
      case 'Date':
        return [[3, () => call('UNIX_DAYS_TO_DATE', [], int64)]]
      case 'Timestamp':
        return [[3, () => call('UNIX_MICROSECONDS_TO_TIMESTAMP', [], int64)]]
      case 'Party':
        return [[2, () => orElse(call('TEXT_TO_PARTY', [], text))]]
      case 'List':
        return ofList(type, first, call, inner, anyType)
      case 'Optional':
        return ofOptional(first, call, anyType)
      case 'TextMap':
        return [
          [3, () => call('TEXTMAP_INSERT', [first], text, first, type)],
          [2, () => call('TEXTMAP_DELETE', [first], text, type)],
        ]
      case 'GenMap':
        return [
          [3, () => call('GENMAP_INSERT', [first, second], first, second, type)],
          [2, () => call('GENMAP_DELETE', [first, second], first, type)],
        ]
      case 'Arrow':
        return ofFunction(first, second, inner)
      default:
        return []
    }

    function sized(key: Type, element: Type): Expression {
      return random.chance(0.5)
        ? call('GENMAP_SIZE', [key, element], types.genMap(key, element))
        : call('TEXTMAP_SIZE', [element], types.textMap(element))
    }
  }

  type Call = (name: BuiltinName, those: readonly Type[], ...args: Type[]) => Expression

  function numericOf(use: (scaled: Type, scale: Type) => Expression): Expression {
    const value = randomScale(random)
    return use(types.numeric(value), { kind: 'nat', value })
  }

  function ofNumeric(type: Type, scale: Type, call: Call, orElse: (optional: Expression) => Expression): Option[] {
    return [
      [3, () => call(random.pick(['ADD_NUMERIC', 'SUB_NUMERIC'] as const), [scale], type, type)],
      [
        4,
        () =>
          numericOf((left, leftScale) =>
            numericOf((right, rightScale) =>
              call(
                random.pick(['MUL_NUMERIC', 'DIV_NUMERIC'] as const),
                [leftScale, rightScale, scale],
                type,
                left,
                right,
              ),
            ),
          ),
      ],
      [2, () => call('ROUND_NUMERIC', [scale], int64, type)],
      ...(scale.kind === 'nat' && scale.value < 37 ? halves(scale, scale.value) : []),
      [2, () => numericOf((from, fromScale) => call('CAST_NUMERIC', [fromScale, scale], type, from))],
      [2, () => numericOf((from, fromScale) => call('SHIFT_NUMERIC', [fromScale, scale], type, from))],
      [2, () => call('INT64_TO_NUMERIC', [scale], type, int64)],
      [2, () => orElse(call('TEXT_TO_NUMERIC', [scale], type, text))],
    ]
  }

  /** Exactly between two results. */
  function halves(scale: Type, digits: number): Option[] {
    const finer: Type = { kind: 'nat', value: digits + 1 }
    const whole: Type = { kind: 'nat', value: 0 }
    const sign = random.chance(0.5) ? 1n : -1n
    const half = (): Expression => e.numeric(sign * BigInt(random.below(100) * 10 + 5), digits + 1)
    const like = e.numeric(0n, digits)
    const scaling = (name: 'MUL_NUMERIC' | 'DIV_NUMERIC'): Expression => {
      return builtin(name, [finer, whole, scale], like, half(), e.numeric(1n, 0))
    }
    const rounded = (): Expression => {
      const places = random.below(digits + 1)
      const half = BigInt(random.below(100) * 10 + 5) * 10n ** BigInt(digits - places)
      const unscaled = sign * (half % 10n ** 38n) // Without the digits that no Numeric holds.
      return builtin('ROUND_NUMERIC', [scale], e.int64(places - 1), e.numeric(unscaled, digits))
    }
    return [
      [1, () => scaling('MUL_NUMERIC')],
      [1, () => scaling('DIV_NUMERIC')],
      [1, rounded],
    ]
  }

  function ofText(call: Call, inner: (of: Type) => Expression): Option[] {
    const hex = (): Expression => (random.chance(0.8) ? call('TEXT_TO_HEX', [], text) : inner(text))
    return [
      [2, () => call('INT64_TO_TEXT', [], int64)],
      [3, () => numericOf((scaled, scale) => call('NUMERIC_TO_TEXT', [scale], scaled))],
      [1, () => call('TIMESTAMP_TO_TEXT', [], timestamp)],
      [1, () => call('DATE_TO_TEXT', [], date)],
      [0.5, () => call('PARTY_TO_TEXT', [], party)],
      [3, () => call('APPEND_TEXT', [], text, text)],
      [1, () => call('IMPLODE_TEXT', [], types.list(text))],
      [1, () => call('CODE_POINTS_TO_TEXT', [], types.list(int64))],
      [1, () => call('SHA256_TEXT', [], text)],
      [0.5, () => builtin('KECCAK256_TEXT', [], hex())],
      [0.5, () => builtin('SHA256_HEX', [], hex())],
      [0.5, () => builtin('HEX_TO_TEXT', [], hex())],
      [0.5, () => call('TEXT_TO_HEX', [], text)],
      [1, () => call('ANY_EXCEPTION_MESSAGE', [], anyException)],
    ]
  }

  function ofBool(call: Call, inner: (of: Type) => Expression, anyType: () => Type): Option[] {
    const compared = (of: Type): Expression => call(random.pick(orders), [of], of, of)
    return [
      [6, () => compared(anyType())],
      [1, () => compared(types.struct(['b', anyType()], ['a', anyType()]))],
      [0.7, () => compared(any)],
      [0.7, () => builtin(random.pick(orders), [text], e.text(random.pick(highTexts)), e.text(random.pick(highTexts)))],
      [0.7, () => compared(typeRep)],
      [0.2, () => compared(types.to(unit, unit))],
      [0.2, () => compared(types.list(types.to(unit, unit)))],
      [0.2, () => compared(types.optional(types.to(unit, unit)))],
      // The same value on both sides: equal, or not comparable.
      [
        1,
        () => {
          const of = random.chance(0.8) ? anyType() : types.list(anyType())
          return e.let(
            'same',
            of,
            inner(of),
            builtin(random.pick(orders), [of], e.variable('same'), e.variable('same')),
          )
        },
      ],
      [
        1,
        () => {
          const of = anyType()
          return call('EQUAL_LIST', [of], types.to(of, of, bool), types.list(of), types.list(of))
        },
      ],
      [0.3, () => e.call(e.value(random.pick(['even', 'odd'])), builtin('MOD_INT64', [], inner(int64), e.int64(9)))],
      [0.2, () => builtin('SECP256K1_BOOL', [], inner(text), inner(text), e.text(publicKey))],
      [0.2, () => builtin('SECP256K1_WITH_ECDSA_BOOL', [], inner(text), inner(text), e.text(publicKey))],
      ...(generator.minor >= 3 ? [[0.2, () => call('SECP256K1_VALIDATE_KEY', [], text)] as const] : []),
    ]
  }

  function ofList(
    type: Type,
    element: Type,
    call: Call,
    inner: (of: Type) => Expression,
    anyType: () => Type,
  ): Option[] {
    const isText = keyOf(element) === keyOf(text)
    const isInt = keyOf(element) === keyOf(int64)
    const isEntry = element.kind === 'struct' && element.fields.map(({ name }) => name).join() === 'key,value'
    return [
      [
        2,
        () => {
          const from = anyType()
          return e.call(e.at(e.value('map'), from, element), inner(types.to(from, element)), inner(types.list(from)))
        },
      ],
      [1, () => e.call(e.at(e.value('filter'), element), inner(types.to(element, bool)), inner(type))],
      [
        1,
        () =>
          e.call(e.at(e.value('insert'), element), inner(types.data('Showing', element)), inner(element), inner(type)),
      ],
      [
        1,
        () => {
          const other = anyType()
          return call('GENMAP_KEYS', [element, other], types.genMap(element, other))
        },
      ],
      [
        1,
        () => {
          const other = anyType()
          return call('GENMAP_VALUES', [other, element], types.genMap(other, element))
        },
      ],
      ...(isText ? [[2, () => call('EXPLODE_TEXT', [], text)] as const] : []),
      ...(isInt ? [[2, () => call('TEXT_TO_CODE_POINTS', [], text)] as const] : []),
      ...(isEntry
        ? [
            [
              4,
              () => call('TEXTMAP_TO_LIST', [element.fields[1]!.type], types.textMap(element.fields[1]!.type)),
            ] as const,
          ]
        : []),
    ]
  }

  function ofOptional(element: Type, call: Call, anyType: () => Type): Option[] {
    const isOf = (of: Type): boolean => keyOf(of) === keyOf(element)
    return [
      [1, () => call('TEXTMAP_LOOKUP', [element], text, types.textMap(element))],
      [
        1,
        () => {
          const key = anyType()
          return call('GENMAP_LOOKUP', [key, element], key, types.genMap(key, element))
        },
      ],
      ...(isOf(int64) ? [[3, () => call('TEXT_TO_INT64', [], text)] as const] : []),
      ...(isOf(party) ? [[3, () => call('TEXT_TO_PARTY', [], text)] as const] : []),
      ...(element.kind === 'builtin' && element.name === 'Numeric'
        ? [[3, () => call('TEXT_TO_NUMERIC', [element.args[0]!], element, text)] as const]
        : []),
    ]
  }

  /** Builtins are functions, too, and may have some of their arguments already. */
  function ofFunction(parameter: Type, result: Type, inner: (of: Type) => Expression): Option[] {
    const key = keyOf(types.to(parameter, result))
    const is = (...parts: Type[]): boolean => keyOf(types.to(...parts)) === key
    const options: Option[] = []
    if (is(int64, int64, int64)) options.push([3, () => e.builtin(random.pick(intOperators))])
    if (is(int64, int64)) options.push([3, () => builtin(random.pick(intOperators), [], inner(int64))])
    if (is(text, text)) options.push([2, () => builtin('APPEND_TEXT', [], inner(text))])
    if (is(text, text)) options.push([1, () => e.builtin(random.pick(['SHA256_TEXT', 'TEXT_TO_HEX'] as const))])
    if (is(int64, text)) options.push([2, () => e.builtin('INT64_TO_TEXT')])
    if (is(parameter, parameter, bool)) options.push([3, () => builtin(random.pick(orders), [parameter])])
    if (is(parameter, bool)) options.push([2, () => builtin(random.pick(orders), [parameter], inner(parameter))])
    return options
  }

  function ofData(type: Type & { kind: 'constructor' }, inner: (of: Type) => Expression): readonly Option[] {
    const fields = fieldsOf(type)
    if (fields === undefined || fields.length === 0) return []
    const field = random.pick(fields)
    return [[2, () => e.with(type, field.name, inner(type), inner(field.type))]]
  }

  function fieldsOf(type: Type & { kind: 'constructor' }): readonly Parameter[] | undefined {
    const definition = data.get(type.id.name)
    if (definition === undefined || !('fields' in definition.constructors)) return undefined
    const bound = new Map(definition.parameters.map(({ name }, index) => [name, type.args[index]!]))
    const fields = definition.constructors.fields.map((each) => ({ ...each, type: substitute(each.type, bound) }))
    return definition.constructors.kind === 'record' ? fields : undefined
  }

  return ofType
}
