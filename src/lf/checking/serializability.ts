// Checks that types which are stored or sent are serializable: those of templates, choices, keys, exceptions and views,
// and those that declare it. Mirrors Serializability.scala; assumes that the module is well typed.
import type { DataType, Exception, Identifier, Interface, Module, Template } from '../syntax/ast.ts'
import type { BuiltinTypeName } from '../syntax/builtins.ts'
import { qualifiedName } from '../syntax/names.ts'
import { pretty } from './kinding.ts'
import { spend } from './limits.ts'
import { choicesOf, sortedByName, type VisitDefinitions } from './members.ts'
import type { Signatures } from './signatures.ts'
import type { Type } from './type.ts'
import { prettyType } from './type-text.ts'
import type { Types } from './types.ts'
import { contextOf, type Place, reference, ValidationError } from './validation-error.ts'

/** The purpose for which a type must be serializable, in the words of the reference. */
type Requirement =
  | 'template argument'
  | 'choice argument'
  | 'exception argument'
  | 'choice result'
  | 'view'
  | 'contract key'
  | 'serializable data type'

/** Why a builtin type by itself is not serializable; the others are. */
const builtinReasons: Partial<Record<BuiltinTypeName, string>> = {
  Numeric: 'unapplied Numeric',
  List: 'unapplied List',
  Optional: 'unapplied Option',
  TextMap: 'unapplied TextMap',
  GenMap: 'unapplied GenMap',
  Update: 'Update',
  ContractId: 'ContractId not applied to a template type',
  Arrow: 'function type',
  Any: 'Any',
  TypeRep: 'TypeRep',
  FailureCategory: 'FailureCategory',
}

type Parts = { readonly types: Types; readonly signatures: Signatures; readonly place: Place }

export function createSerializability({ types, signatures, place }: Parts) {
  type Demand = {
    readonly requirement: Requirement
    readonly type: Type
    readonly variables: ReadonlySet<string>
    /** Parts that meet it: a type may refer to one of its parts many times. */
    readonly met: Set<Type>
  }

  function fail({ requirement, type }: Demand, reason: string): never {
    const found = prettyType(type)
    const problem = `expected serializable type:\n * reason: ${reason}\n * found: ${found}\n * problem: ${requirement}`
    throw new ValidationError('EExpectedSerializableType', contextOf(place), `${problem}\n     `)
  }

  function require(requirement: Requirement, type: Type): void {
    check({ requirement, type, variables: noVariables, met: new Set() }, type)
  }

  function check(demand: Demand, type: Type): void {
    switch (type.tag) {
      case 'variable':
        if (!demand.variables.has(type.name)) fail(demand, `free type variable ${type.name}`)
        return
      case 'nat':
        return fail(demand, 'Nat')
      case 'synonym':
        return fail(demand, `type synonym ${qualifiedName(type.identifier!)}`)
      case 'constructor':
        if (signatures.isSerializable(type.identifier!)) return
        return fail(demand, `unserializable data type ${qualifiedName(type.identifier!)}`)
      case 'builtin': {
        const reason = builtinReasons[type.name as BuiltinTypeName]
        return reason === undefined ? undefined : fail(demand, reason)
      }
      case 'forall':
        return fail(demand, 'higher-ranked type')
      case 'struct':
        return fail(demand, 'structural record')
      case 'application':
        if (demand.met.has(type)) return
        spend(types.budget)
        checkApplication(demand, type.left!, type.right!)
        demand.met.add(type)
    }
  }

  function checkApplication(demand: Demand, left: Type, right: Type): void {
    if (left.tag === 'builtin') {
      if (left.name === 'ContractId') return
      if (left.name === 'Numeric' && right.tag === 'nat') return
      if (left.name === 'List' || left.name === 'Optional' || left.name === 'TextMap') return check(demand, right)
    }
    const isMap = left.tag === 'application' && left.left!.tag === 'builtin' && left.left!.name === 'GenMap'
    check(demand, isMap ? left.right! : left)
    check(demand, right)
  }

  function checkDataType(id: Identifier, { parameters, constructors }: DataType): void {
    place.reference = reference.dataType(id)
    const variables = new Set<string>()
    const demand: Demand = { requirement: 'serializable data type', type: types.named(id), variables, met: new Set() }
    for (const { name, kind } of parameters) {
      const found = types.kinds.from(kind)
      if (found.tag !== 'star') fail(demand, `higher-kinded type variable ${name} : ${pretty(found)}`)
      variables.add(name)
    }
    if (constructors.kind === 'interface') return fail(demand, 'Interface')
    const members = constructors.kind === 'enum' ? constructors.names : constructors.fields
    if (constructors.kind !== 'record' && members.length === 0) fail(demand, 'variant type without constructors')
    if (constructors.kind === 'enum') return
    for (const field of constructors.fields) check(demand, types.from(field.type))
  }

  function checkChoices(of: Template | Interface): void {
    for (const { argument, returnType } of choicesOf(of)) {
      require('choice argument', types.from(argument.type))
      require('choice result', types.from(returnType))
    }
  }

  function checkTemplate(id: Identifier, template: Template): void {
    place.reference = reference.template(id)
    require('template argument', types.named(id))
    checkChoices(template)
    if (template.key !== undefined) require('contract key', types.from(template.key.type))
  }

  return (packageId: string, module: Module, visitDefinitions: VisitDefinitions): void => {
    const idOf = ({ name }: { readonly name: string }): Identifier => ({ packageId, module: module.name, name })
    place.location = undefined
    visitDefinitions(module, {
      dataType: (one) => {
        if (one.isSerializable) checkDataType(idOf(one), one)
      },
    })
    for (const template of sortedByName(module.templates)) checkTemplate(idOf(template), template)
    for (const exception of sortedByName<Exception>(module.exceptions)) {
      place.reference = reference.exception(idOf(exception))
      require('exception argument', types.named(idOf(exception)))
    }
    for (const iface of sortedByName(module.interfaces)) {
      place.reference = reference.interface(idOf(iface))
      checkChoices(iface)
      require('view', types.from(iface.viewType))
    }
  }
}

const noVariables: ReadonlySet<string> = new Set()
