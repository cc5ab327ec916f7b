// Writes expressions and definitions of LF 2.1, where they are inline, for tests that need small programs.
import { type BuiltinName, builtins } from '../../../src/lf/syntax/builtins.ts'
import type { PackageWriter, Written } from './package-writer.ts'
import { bytes, message, signed, varint } from './proto-writer.ts'

/** Names belong to the module unless they are a written id. */
type Named = string | Written

export function createExpressionWriter(w: PackageWriter, module: string) {
  const name = (field: number, value: string) => varint(field, w.string(value))
  const id = (named: Named): Written => (typeof named === 'string' ? w.id(module, named) : named)
  const binder = (field: number, variableName: string, type: number) =>
    message(field, name(3, variableName), bytes(2, w.type(type)))

  return {
    name,
    id,

    // ── Values
    variable: (variableName: string): Written => name(2, variableName),
    value: (valueName: string): Written => bytes(3, id(valueName)),
    builtin: (builtinName: BuiltinName): Written => varint(4, builtins[builtinName].proto),
    unit: varint(5, 0),
    isTrue: (content: boolean): Written => varint(5, content ? 2 : 1),
    number: (literal: bigint): Written => message(6, signed(1, literal)),
    text: (literal: string): Written => message(6, name(4, literal)),
    record: (type: Named, ...fields: [string, Written][]): Written =>
      message(
        7,
        message(1, bytes(1, id(type))),
        ...fields.map(([field, content]) => message(2, name(3, field), bytes(2, content))),
      ),
    field: (type: Named, fieldName: string, of: Written): Written =>
      message(8, message(1, bytes(1, id(type))), name(4, fieldName), bytes(3, of)),
    variant: (type: Named, tag: string, content: Written): Written =>
      message(10, message(1, bytes(1, id(type))), name(2, tag), bytes(3, content)),
    enumeration: (type: Named, tag: string): Written => message(11, bytes(1, id(type)), name(2, tag)),
    update: (type: Named, fieldName: string, of: Written, content: Written): Written =>
      message(9, message(1, bytes(1, id(type))), name(2, fieldName), bytes(3, of), bytes(4, content)),
    struct: (...fields: [string, Written][]): Written =>
      message(12, ...fields.map(([field, content]) => message(1, name(3, field), bytes(2, content)))),
    structField: (fieldName: string, of: Written): Written => message(13, name(1, fieldName), bytes(2, of)),
    structUpdate: (fieldName: string, of: Written, content: Written): Written =>
      message(14, name(1, fieldName), bytes(2, of), bytes(3, content)),
    none: (type: number): Written => message(25, bytes(1, w.type(type))),
    some: (type: number, content: Written): Written => message(26, bytes(1, w.type(type)), bytes(2, content)),
    numeric: (literal: string): Written => message(6, name(3, literal)),
    toAny: (type: number, content: Written): Written => message(27, bytes(1, w.type(type)), bytes(2, content)),
    fromAny: (type: number, content: Written): Written => message(28, bytes(1, w.type(type)), bytes(2, content)),
    typeRep: (type: number): Written => bytes(29, w.type(type)),
    toAnyException: (type: number, content: Written): Written => message(30, bytes(1, w.type(type)), bytes(2, content)),
    throwing: (returns: number, type: number, exception: Written): Written =>
      message(32, bytes(1, w.type(returns)), bytes(2, w.type(type)), bytes(3, exception)),
    nil: (type: number): Written => message(21, bytes(1, w.type(type))),
    cons: (type: number, head: Written, tail: Written): Written =>
      message(22, bytes(1, w.type(type)), bytes(2, head), bytes(3, tail)),

    // ── Functions
    call: (f: Written, ...args: Written[]): Written => message(15, bytes(1, f), ...args.map((arg) => bytes(2, arg))),
    at: (f: Written, ...types: number[]): Written =>
      message(16, bytes(1, f), ...types.map((type) => bytes(2, w.type(type)))),
    lambda: (parameters: [string, number][], body: Written): Written =>
      message(17, ...parameters.map(([parameter, type]) => binder(1, parameter, type)), bytes(2, body)),
    let: (variableName: string, type: number, bound: Written, body: Written): Written =>
      message(20, message(1, binder(1, variableName, type), bytes(2, bound)), bytes(2, body)),
    /** An alternative is the fields of its pattern (see `patterns`) and its body. */
    match: (scrutinee: Written, ...alternatives: [pattern: Written, body: Written][]): Written =>
      message(19, bytes(1, scrutinee), ...alternatives.map(([pattern, body]) => message(2, pattern, bytes(1, body)))),
    patterns: {
      otherwise: message(2),
      variant: (type: Named, tag: string, variableName: string) =>
        message(3, bytes(1, id(type)), name(2, tag), name(3, variableName)),
      unit: varint(4, 0),
      bool: (content: boolean) => varint(4, content ? 2 : 1),
      nil: message(5),
      cons: (head: string, tail: string) => message(6, name(1, head), name(2, tail)),
      none: message(7),
      some: (variableName: string) => message(8, name(1, variableName)),
      enumeration: (type: Named, tag: string) => message(9, bytes(1, id(type)), name(2, tag)),
    },
    ifTrue: (condition: Written, yes: Written, no: Written): Written =>
      message(19, bytes(1, condition), message(2, varint(4, 2), bytes(1, yes)), message(2, message(2), bytes(1, no))),

    // ── Interfaces
    toInterface: (of: Named, template: Named, content: Written): Written =>
      message(33, bytes(1, id(of)), bytes(2, id(template)), bytes(3, content)),
    fromInterface: (of: Named, template: Named, content: Written): Written =>
      message(34, bytes(1, id(of)), bytes(2, id(template)), bytes(3, content)),
    unsafeFromInterface: (of: Named, template: Named, contractId: Written, content: Written): Written =>
      message(39, bytes(1, id(of)), bytes(2, id(template)), bytes(3, contractId), bytes(4, content)),
    callMethod: (of: Named, method: string, content: Written): Written =>
      message(35, bytes(1, id(of)), name(2, method), bytes(3, content)),
    observersOf: (of: Named, content: Written): Written => message(37, bytes(1, id(of)), bytes(2, content)),
    viewOf: (of: Named, content: Written): Written => message(38, bytes(1, id(of)), bytes(2, content)),
    typeRepOf: (of: Named, content: Written): Written => message(40, bytes(1, id(of)), bytes(2, content)),
    signatoriesOf: (of: Named, content: Written): Written => message(36, bytes(1, id(of)), bytes(2, content)),

    // ── Updates
    pure: (type: number, content: Written): Written =>
      message(23, message(1, bytes(1, w.type(type)), bytes(2, content))),
    block: (variableName: string, type: number, bound: Written, body: Written): Written =>
      message(23, message(2, message(1, binder(1, variableName, type), bytes(2, bound)), bytes(2, body))),
    create: (template: Named, content: Written): Written =>
      message(23, message(3, bytes(1, id(template)), bytes(2, content))),
    exercise: (template: Named, choiceName: string, contractId: Written, argument: Written): Written =>
      message(23, message(4, bytes(1, id(template)), name(6, choiceName), bytes(3, contractId), bytes(5, argument))),
    getTime: message(23, message(6)),
    embed: (type: number, body: Written): Written => message(23, message(7, bytes(1, w.type(type)), bytes(2, body))),
    tryCatch: (returns: number, body: Written, variableName: string, handler: Written): Written =>
      message(23, message(11, bytes(1, w.type(returns)), bytes(2, body), name(3, variableName), bytes(4, handler))),
    createInterface: (of: Named, content: Written): Written =>
      message(23, message(12, bytes(1, id(of)), bytes(2, content))),
    exerciseInterface: (of: Named, choiceName: string, contractId: Written, argument: Written): Written =>
      message(23, message(13, bytes(1, id(of)), name(2, choiceName), bytes(3, contractId), bytes(4, argument))),
    fetchInterface: (of: Named, contractId: Written): Written =>
      message(23, message(14, bytes(1, id(of)), bytes(2, contractId))),
    isBefore: (time: Written): Written => message(23, bytes(15, time)),
    fetch: (template: Named, contractId: Written): Written =>
      message(23, message(5, bytes(1, id(template)), bytes(2, contractId))),

    // ── Definitions
    define: (valueName: string, type: number, body: Written) =>
      message(5, message(2, varint(1, w.dottedName(valueName)), bytes(2, w.type(type))), bytes(3, body)),
    /** A record (5) or a variant (6). */
    data: (dataName: string, kind: 5 | 6, ...fields: [string, number][]) =>
      message(
        4,
        varint(2, w.dottedName(dataName)),
        varint(4, 1),
        message(kind, ...fields.map(([fieldName, type]) => message(1, name(3, fieldName), bytes(2, w.type(type))))),
      ),
    enumType: (dataName: string, ...tags: string[]) =>
      message(4, varint(2, w.dottedName(dataName)), varint(4, 1), message(7, ...tags.map((tag) => name(2, tag)))),
    /** A choice of a template (6) or interface (5): default no observers, non-consuming. Sees `self`, `this`, `arg`. */
    choice: (
      of: 5 | 6,
      choiceName: string,
      { argument, returns, controllers, body, parties, observers, isConsuming = false }: WrittenChoice,
    ) =>
      message(
        of,
        varint(2, w.string(choiceName)),
        varint(3, isConsuming ? 1 : 0),
        bytes(4, controllers),
        bytes(5, observers ?? message(21, bytes(1, w.type(parties)))),
        message(6, name(3, 'arg'), bytes(2, w.type(argument))),
        bytes(8, w.type(returns)),
        bytes(9, body),
        varint(10, w.string('self')),
      ),
  }
}

type WrittenChoice = {
  readonly argument: number
  readonly returns: number
  readonly controllers: Written
  readonly body: Written
  /** The type Party. */
  readonly parties: number
  readonly observers?: Written | undefined
  readonly isConsuming?: boolean
}
