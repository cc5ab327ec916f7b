// Writes expressions that are given as syntax, in the form of every LF version. For generated programs: what the
// generator builds is plain data, which can be searched, cut and printed before it is written.
import type {
  Alternative,
  Binding,
  Expression,
  Identifier,
  Literal,
  Pattern,
  Type,
  Update,
} from '../../../src/lf/syntax/ast.ts'
import { builtins } from '../../../src/lf/syntax/builtins.ts'
import type { PackageWriter, Written } from './package-writer.ts'
import { bytes, fixed64, message, signed, varint } from './proto-writer.ts'

type Writers = {
  readonly writer: PackageWriter
  /** The content of an identifier message. */
  readonly id: (of: Identifier) => Written
  /** A reference to the table of types. */
  readonly type: (of: Type) => Written
  readonly typeParameter: (of: { readonly name: string; readonly kind: { readonly kind: string } }) => Written
}

const constructors = ['unit', 'false', 'true'] as const
const categories = ['InvalidIndependentOfSystemState', 'InvalidGivenCurrentSystemStateOther'] as const

export function createExpressionEncoder({ writer: w, id, type, typeParameter }: Writers) {
  const name = (field: number, value: string): Buffer => varint(field, w.string(value))
  const part = (field: number, of: Expression): Buffer => bytes(field, expression(of))
  const named = (field: number, of: Identifier): Buffer => bytes(field, id(of))
  const typed = (field: number, of: Type): Buffer => bytes(field, type(of))
  const applied = (of: { readonly id: Identifier; readonly args: readonly Type[] }): Buffer =>
    message(1, named(1, of.id), ...of.args.map((arg) => typed(2, arg)))
  const parameter = (field: number, of: { readonly name: string; readonly type: Type }): Buffer =>
    message(field, name(3, of.name), typed(2, of.type))
  const binding = (of: Binding): Buffer => message(1, parameter(1, of), part(2, of.bound))

  function expression(of: Expression): Written {
    return of.kind === 'type-application' || of.kind === 'abstraction' || of.kind === 'type-abstraction'
      ? unary(of)
      : w.expression(formOf(of))
  }

  /** LF 2.1 takes lists of types and parameters, later versions one at a time. */
  function unary(of: Expression & { kind: 'type-application' | 'abstraction' | 'type-abstraction' }): Written {
    if (of.kind === 'type-application') {
      const inner = expression(of.expression)
      const apply = (to: Written, types: readonly Type[]): Written =>
        w.expression(message(16, bytes(1, to), ...types.map((each) => typed(2, each))))
      return w.isFlat ? of.types.reduce((to, each) => apply(to, [each]), inner) : apply(inner, of.types)
    }
    const field = of.kind === 'abstraction' ? 17 : 18
    const parameters =
      of.kind === 'abstraction'
        ? of.parameters.map((each) => parameter(1, each))
        : of.parameters.map((each) => bytes(1, typeParameter(each)))
    const body = expression(of.body)
    const abstract = (those: readonly Buffer[], inner: Written): Written =>
      w.expression(message(field, ...those, bytes(2, inner)))
    return w.isFlat
      ? parameters.reduceRight((inner, each) => abstract([each], inner), body)
      : abstract(parameters, body)
  }

  function formOf(of: Expression): Buffer {
    switch (of.kind) {
      case 'variable':
        return name(2, of.name)
      case 'value':
        return named(3, of.id)
      case 'builtin':
        return varint(4, builtins[of.name].proto)
      case 'builtin-constructor':
        return varint(5, constructors.indexOf(of.name))
      case 'literal':
        return message(6, literal(of.literal))
      case 'record':
        return message(
          7,
          applied(of.type),
          ...of.fields.map((each) => message(2, name(3, each.name), part(2, each.value))),
        )
      case 'record-projection':
        return message(8, applied(of.type), name(4, of.field), part(3, of.record))
      case 'record-update':
        return message(9, applied(of.type), name(2, of.field), part(3, of.record), part(4, of.value))
      case 'variant':
        return message(10, applied(of.type), name(2, of.tag), part(3, of.value))
      case 'enum':
        return message(11, named(1, of.id), name(2, of.tag))
      case 'struct':
        return message(12, ...of.fields.map((each) => message(1, name(3, each.name), part(2, each.value))))
      case 'struct-projection':
        return message(13, name(1, of.field), part(2, of.struct))
      case 'struct-update':
        return message(14, name(1, of.field), part(2, of.struct), part(3, of.value))
      case 'application':
        return message(15, part(1, of.function), ...of.args.map((arg) => part(2, arg)))
      case 'case':
        return message(19, part(1, of.scrutinee), ...of.alternatives.map(alternative))
      case 'let':
        return message(20, ...of.bindings.map(binding), part(2, of.body))
      case 'nil':
        return message(21, typed(1, of.type))
      case 'cons':
        return message(22, typed(1, of.type), ...of.front.map((each) => part(2, each)), part(3, of.tail))
      case 'update':
        return message(23, update(of.update))
      case 'none':
        return message(25, typed(1, of.type))
      case 'some':
      case 'to-any':
      case 'from-any':
      case 'to-any-exception':
      case 'from-any-exception':
        return message(typedForms[of.kind], typed(1, of.type), part(2, of.value))
      case 'type-rep':
        return typed(29, of.type)
      case 'throw':
        return message(32, typed(1, of.returnType), typed(2, of.exceptionType), part(3, of.exception))
      default:
        return interfaceForm(of)
    }
  }

  function interfaceForm(of: Expression): Buffer {
    switch (of.kind) {
      case 'to-interface':
      case 'from-interface':
        return message(
          of.kind === 'to-interface' ? 33 : 34,
          named(1, of.interface),
          named(2, of.template),
          part(3, of.value),
        )
      case 'unsafe-from-interface':
        return message(39, named(1, of.interface), named(2, of.template), part(3, of.contractId), part(4, of.value))
      case 'call-interface':
        return message(35, named(1, of.interface), name(2, of.method), part(3, of.value))
      case 'signatory-interface':
      case 'observer-interface':
      case 'view-interface':
      case 'interface-template-type-rep':
        return message(onInterface[of.kind], named(1, of.interface), part(2, of.value))
      case 'to-required-interface':
      case 'from-required-interface':
        return message(
          of.kind === 'to-required-interface' ? 41 : 42,
          named(1, of.required),
          named(2, of.requiring),
          part(3, of.value),
        )
      case 'unsafe-from-required-interface':
        return message(43, named(1, of.required), named(2, of.requiring), part(3, of.contractId), part(4, of.value))
      default:
        throw new Error(`no way to write ${of.kind}`)
    }
  }

  function update(of: Update): Buffer {
    switch (of.kind) {
      case 'pure':
        return message(1, typed(1, of.type), part(2, of.value))
      case 'block':
        return message(2, ...of.bindings.map(binding), part(2, of.body))
      case 'create':
        return message(3, named(1, of.template), part(2, of.value))
      case 'exercise':
        return message(4, named(1, of.template), name(6, of.choice), part(3, of.contractId), part(5, of.argument))
      case 'fetch':
        return message(5, named(1, of.template), part(2, of.contractId))
      case 'get-time':
        return message(6)
      case 'embed-expression':
        return message(7, typed(1, of.type), part(2, of.body))
      case 'fetch-by-key':
        return message(9, named(1, of.template))
      case 'exercise-by-key':
        return message(10, named(1, of.template), name(2, of.choice), part(3, of.key), part(4, of.argument))
      case 'try-catch':
        return message(11, typed(1, of.returnType), part(2, of.body), name(3, of.binder), part(4, of.handler))
      case 'create-interface':
        return message(12, named(1, of.interface), part(2, of.value))
      case 'exercise-interface':
        return message(13, named(1, of.interface), name(2, of.choice), part(3, of.contractId), part(4, of.argument))
      case 'fetch-interface':
        return message(14, named(1, of.interface), part(2, of.contractId))
      case 'ledger-time-lt':
        return part(15, of.time)
      case 'query-n-by-key':
        return message(16, named(1, of.template))
    }
  }

  function alternative({ pattern, body }: Alternative): Buffer {
    return message(2, patternForm(pattern), part(1, body))
  }

  function patternForm(of: Pattern): Buffer {
    switch (of.kind) {
      case 'default':
        return message(2)
      case 'variant':
        return message(3, named(1, of.id), name(2, of.tag), name(3, of.binder))
      case 'builtin-constructor':
        return varint(4, constructors.indexOf(of.name))
      case 'nil':
        return message(5)
      case 'cons':
        return message(6, name(1, of.head), name(2, of.tail))
      case 'none':
        return message(7)
      case 'some':
        return message(8, name(1, of.binder))
      case 'enum':
        return message(9, named(1, of.id), name(2, of.tag))
    }
  }

  function literal(of: Literal): Buffer {
    switch (of.kind) {
      case 'int64':
        return signed(1, of.value)
      case 'timestamp':
        return fixed64(2, of.micros)
      case 'numeric':
        return name(3, numericText(of))
      case 'text':
        return name(4, of.value)
      case 'date':
        return varint(5, of.days)
      case 'failure-category':
        return varint(6, categories.indexOf(of.category))
    }
  }

  return expression
}

const typedForms = { some: 26, 'to-any': 27, 'from-any': 28, 'to-any-exception': 30, 'from-any-exception': 31 } as const

const onInterface = {
  'signatory-interface': 36,
  'observer-interface': 37,
  'view-interface': 38,
  'interface-template-type-rep': 40,
} as const

function numericText({ unscaled, scale }: { unscaled: bigint; scale: number }): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
}
