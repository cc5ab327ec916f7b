// Expressions and patterns as the reference prints its own data: one error shows a whole record expression so.
import type {
  BuiltinConstructor,
  Expression,
  Field,
  Location,
  Pattern,
  Type as SyntaxType,
  TypeApplication,
  Update,
} from '../syntax/ast.ts'
import { builtinNames } from './builtin-names.ts'
import { printKind } from './kinds.ts'
import { literalText } from './literal-text.ts'
import { separated, type TextWriter } from './text-writer.ts'
import { printType, printTypes } from './type-text.ts'
import { fullName, type Types } from './types.ts'

/** Where the expression is: locations name the definition. */
export type Printing = { readonly types: Types; readonly definition: string }

const constructorNames: Readonly<Record<BuiltinConstructor, string>> = {
  unit: 'BCUnit',
  false: 'BCFalse',
  true: 'BCTrue',
}

export function patternText(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'default':
      return 'CPDefault'
    case 'variant':
      return `CPVariant(${fullName(pattern.id)},${pattern.tag},${pattern.binder})`
    case 'enum':
      return `CPEnum(${fullName(pattern.id)},${pattern.tag})`
    case 'builtin-constructor':
      return `CPBuiltinCon(${constructorNames[pattern.name]})`
    case 'nil':
      return 'CPNil'
    case 'cons':
      return `CPCons(${pattern.head},${pattern.tail})`
    case 'none':
      return 'CPNone'
    case 'some':
      return `CPSome(${pattern.binder})`
  }
}

export function printFields(to: TextWriter, printing: Printing, fields: readonly Field[]): void {
  to.write('ImmArray(')
  separated(to, fields, ',', ({ name, value }) => {
    to.write(`(${name},`)
    print(to, printing, value)
    to.write(')')
  })
  to.write(')')
}

/** What a printed constructor has between its parentheses: texts, expressions and types. */
type Part = string | Expression | (() => void)

function print(to: TextWriter, printing: Printing, expression: Expression): void {
  if (expression.location === undefined) return printForm(to, printing, expression)
  to.write(`ELocation(${locationData(expression.location, printing.definition)},`)
  printForm(to, printing, expression)
  to.write(')')
}

function locationData(location: Location, definition: string): string {
  const { packageId, module, startLine, startColumn, endLine, endColumn } = location
  return `Location(${packageId},${module},${definition},(${startLine},${startColumn}),(${endLine},${endColumn}))`
}

function printForm(to: TextWriter, printing: Printing, expression: Expression): void {
  const { types } = printing
  const type = (syntax: SyntaxType) => () => printType(to, types.from(syntax))
  const applied =
    ({ id, args }: TypeApplication) =>
    () => {
      to.write(`TypeConApp(${fullName(id)},`)
      printTypes(to, args.map(types.from))
      to.write(')')
    }
  const show = (name: string, ...parts: Part[]): void => {
    to.write(`${name}(`)
    separated(to, parts, ',', (part) => {
      if (typeof part === 'string') to.write(part)
      else if (typeof part === 'function') part()
      else print(to, printing, part)
    })
    to.write(')')
  }
  /** One inside the other: `EApp(EApp(f,a),b)`. */
  const nested = (name: string, first: Expression, rest: readonly (Expression | (() => void))[]): void => {
    for (const _ of rest) to.write(`${name}(`)
    print(to, printing, first)
    for (const part of rest) {
      to.write(',')
      if (typeof part === 'function') part()
      else print(to, printing, part)
      to.write(')')
    }
  }
  /** The other way round: `EAbs((x,T),EAbs((y,U),body))`. */
  const around = <T>(items: readonly T[], body: Expression, open: (item: T) => void): void => {
    for (const item of items) open(item)
    print(to, printing, body)
    for (const _ of items) to.write(')')
  }

  switch (expression.kind) {
    case 'variable':
      return show('EVar', expression.name)
    case 'value':
      return show('EVal', fullName(expression.id))
    case 'builtin':
      return show('EBuiltinFun', builtinNames[expression.name])
    case 'builtin-constructor':
      return show('EBuiltinCon', constructorNames[expression.name])
    case 'literal':
      return show('EBuiltinLit', literalText(expression.literal))
    case 'record':
      return show('ERecCon', applied(expression.type), () => printFields(to, printing, expression.fields))
    case 'record-projection':
      return show('ERecProj', applied(expression.type), expression.field, expression.record)
    case 'record-update':
      return show('ERecUpd', applied(expression.type), expression.field, expression.record, expression.value)
    case 'variant':
      return show('EVariantCon', applied(expression.type), expression.tag, expression.value)
    case 'enum':
      return show('EEnumCon', fullName(expression.id), expression.tag)
    case 'struct':
      return show('EStructCon', () => printFields(to, printing, expression.fields))
    case 'struct-projection':
      return show('EStructProj', expression.field, expression.struct)
    case 'struct-update':
      return show('EStructUpd', expression.field, expression.struct, expression.value)
    case 'application':
      return nested('EApp', expression.function, expression.args)
    case 'type-application':
      return nested('ETyApp', expression.expression, expression.types.map(type))
    case 'abstraction':
      return around(expression.parameters, expression.body, (parameter) => {
        to.write(`EAbs((${parameter.name},`)
        printType(to, types.from(parameter.type))
        to.write('),')
      })
    case 'type-abstraction':
      return around(expression.parameters, expression.body, (parameter) => {
        to.write(`ETyAbs((${parameter.name},`)
        printKind(to, types.kinds.from(parameter.kind))
        to.write('),')
      })
    case 'let':
      return around(expression.bindings, expression.body, (binding) => {
        to.write('ELet(')
        show('Binding', `Some(${binding.name})`, type(binding.type), binding.bound)
        to.write(',')
      })
    case 'case':
      return show('ECase', expression.scrutinee, () => {
        to.write('ImmArray(')
        separated(to, expression.alternatives, ',', ({ pattern, body }) => show('CaseAlt', patternText(pattern), body))
        to.write(')')
      })
    case 'nil':
      return show('ENil', type(expression.type))
    case 'none':
      return show('ENone', type(expression.type))
    case 'cons':
      return show('ECons', type(expression.type), () => show('ImmArray', ...expression.front), expression.tail)
    case 'some':
      return show('ESome', type(expression.type), expression.value)
    case 'to-any':
      return show('EToAny', type(expression.type), expression.value)
    case 'from-any':
      return show('EFromAny', type(expression.type), expression.value)
    case 'type-rep':
      return show('ETypeRep', type(expression.type))
    case 'to-any-exception':
      return show('EToAnyException', type(expression.type), expression.value)
    case 'from-any-exception':
      return show('EFromAnyException', type(expression.type), expression.value)
    case 'throw':
      return show('EThrow', type(expression.returnType), type(expression.exceptionType), expression.exception)
    case 'to-interface':
    case 'from-interface': {
      const name = expression.kind === 'to-interface' ? 'EToInterface' : 'EFromInterface'
      return show(name, fullName(expression.interface), fullName(expression.template), expression.value)
    }
    case 'unsafe-from-interface': {
      const { interface: of, template, contractId, value } = expression
      return show('EUnsafeFromInterface', fullName(of), fullName(template), contractId, value)
    }
    case 'call-interface':
      return show('ECallInterface', fullName(expression.interface), expression.method, expression.value)
    case 'view-interface':
      return show('EViewInterface', fullName(expression.interface), expression.value)
    case 'signatory-interface':
      return show('ESignatoryInterface', fullName(expression.interface), expression.value)
    case 'observer-interface':
      return show('EObserverInterface', fullName(expression.interface), expression.value)
    case 'interface-template-type-rep':
      return show('EInterfaceTemplateTypeRep', fullName(expression.interface), expression.value)
    case 'to-required-interface':
    case 'from-required-interface': {
      const name = expression.kind === 'to-required-interface' ? 'EToRequiredInterface' : 'EFromRequiredInterface'
      return show(name, fullName(expression.required), fullName(expression.requiring), expression.value)
    }
    case 'unsafe-from-required-interface': {
      const { required, requiring, contractId, value } = expression
      return show('EUnsafeFromRequiredInterface', fullName(required), fullName(requiring), contractId, value)
    }
    case 'update':
      return show('EUpdate', () => printUpdate(expression.update, show, type, to))
  }
}

function printUpdate(
  update: Update,
  show: (name: string, ...parts: Part[]) => void,
  type: (syntax: SyntaxType) => () => void,
  to: TextWriter,
): void {
  switch (update.kind) {
    case 'pure':
      return show('UpdatePure', type(update.type), update.value)
    case 'block':
      return show(
        'UpdateBlock',
        () => {
          to.write('ImmArray(')
          separated(to, update.bindings, ',', (binding) => {
            show('Binding', `Some(${binding.name})`, type(binding.type), binding.bound)
          })
          to.write(')')
        },
        update.body,
      )
    case 'create':
      return show('UpdateCreate', fullName(update.template), update.value)
    case 'create-interface':
      return show('UpdateCreateInterface', fullName(update.interface), update.value)
    case 'exercise': {
      const { template, choice, contractId, argument } = update
      return show('UpdateExercise', fullName(template), choice, contractId, argument)
    }
    case 'exercise-interface': {
      const { interface: of, choice, contractId, argument } = update
      return show('UpdateExerciseInterface', fullName(of), choice, contractId, argument, 'None')
    }
    case 'exercise-by-key': {
      const { template, choice, key, argument } = update
      return show('UpdateExerciseByKey', fullName(template), choice, key, argument)
    }
    case 'fetch':
      return show('UpdateFetchTemplate', fullName(update.template), update.contractId)
    case 'fetch-interface':
      return show('UpdateFetchInterface', fullName(update.interface), update.contractId)
    case 'fetch-by-key':
      return show('UpdateFetchByKey', fullName(update.template))
    case 'query-n-by-key':
      return show('UpdateQueryNByKey', fullName(update.template))
    case 'get-time':
      return to.write('UpdateGetTime')
    case 'ledger-time-lt':
      return show('UpdateLedgerTimeLT', update.time)
    case 'embed-expression':
      return show('UpdateEmbedExpr', type(update.type), update.body)
    case 'try-catch': {
      const { returnType, body, binder, handler } = update
      return show('UpdateTryCatchV1', type(returnType), body, binder, handler)
    }
  }
}
