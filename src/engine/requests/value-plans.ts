// The plans of the values in events, for threads that have no packages.
import { planOf, type ValuePlans } from '../../lf/codec/value-plan.ts'
import type { DataTypes, Packages } from '../../lf/values/data-types.ts'
import { createEventTypes } from './event-types.ts'

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
