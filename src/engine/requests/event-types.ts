// The types of the values in events and commands, and their plans for threads that have no packages.
import { planOf, type ValuePlans } from '../../lf/codec/value-plan.ts'
import type { Identifier, Type } from '../../lf/syntax/ast.ts'
import type { DataTypes, Packages } from '../../lf/values/data-types.ts'
import { typeOfTemplate } from '../transaction/contracts.ts'
import { choicesOf, identifierFrom, templateOf } from './command-decoding.ts'

export type EventTypes = ReturnType<typeof createEventTypes>

/** The types of what events hold, found once for each template, choice and interface. */
export function createEventTypes(packages: Packages) {
  const templates = new Map<string, { readonly argument: Type; readonly key: Type | undefined }>()
  const choices = new Map<string, { readonly argument: Type; readonly result: Type }>()
  const views = new Map<string, Type>()
  const remembered = <T>(known: Map<string, T>, name: string, find: () => T): T => {
    let found = known.get(name)
    if (found === undefined) {
      found = find()
      known.set(name, found)
    }
    return found
  }
  return {
    ofTemplate: (name: string) =>
      remembered(templates, name, () => {
        const id = identifierFrom(name)
        return { argument: typeOfTemplate(id), key: templateOf(id, { packages }).key?.type }
      }),
    ofChoice: (owner: string, name: string) =>
      remembered(choices, `${owner}:${name}`, () => {
        const choice = choicesOf(identifierFrom(owner), { packages }).get(name)
        if (choice === undefined) throw new Error(`${owner} has no choice ${name}`)
        return { argument: choice.argument.type, result: choice.returnType }
      }),
    ofView: (name: string) => remembered(views, name, () => interfaceOf(identifierFrom(name), packages)),
  }
}

function interfaceOf({ packageId, module, name }: Identifier, packages: Packages): Type {
  const found = packages.get(packageId)?.modules.get(module)?.interfaces.get(name)
  if (found === undefined) throw new Error(`there is no interface ${packageId}:${module}:${name}`)
  return found.viewType
}

/** For `package:Module:Template` or `package:Module:Type:Choice`; undefined where a type is too large for a plan. */
export type PlanValues = (names: readonly string[]) => readonly (ValuePlans | undefined)[]

export function createValuePlans(packages: Packages, dataTypes: DataTypes): PlanValues {
  const types = createEventTypes(packages)
  return (names) =>
    names.map((name) => {
      const [packageId, module, entity, choice] = name.split(':')
      const owner = `${packageId}:${module}:${entity}`
      const { argument, other } =
        choice === undefined
          ? { argument: types.ofTemplate(owner).argument, other: types.ofTemplate(owner).key }
          : { argument: types.ofChoice(owner, choice).argument, other: types.ofChoice(owner, choice).result }
      const planned = planOf(argument, dataTypes)
      const otherPlanned = other && planOf(other, dataTypes)
      if (planned === undefined || (other !== undefined && otherPlanned === undefined)) return undefined
      return { argument: planned, other: otherPlanned }
    })
}
