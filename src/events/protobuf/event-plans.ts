// Loads how the values of events are rendered, by template or choice. The packages are in the threads of the engine; a
// plan is loaded once, when the first value needs it.
import { UnexpectedFormat } from '../../lf/codec/json-reader.ts'
import type { ValuePlans } from '../../lf/codec/value-plan.ts'
import { compilePlan, type RenderedPlan } from '../../lf/codec/value-rendering.ts'

export type TypesOf = {
  /** The contract or the argument of the choice. */
  readonly argument: RenderedPlan
  /** The key of a template, the result of a choice. */
  readonly other: RenderedPlan | undefined
}

export type EventPlans = {
  /** `package:Module:Template` or `package:Module:Type:Choice`. Throws UnexpectedFormat if it is not loaded, or too large. */
  of(name: string, isVerbose: boolean): TypesOf
  /** Loads the plans that `of` missed; undefined if it missed none. */
  missing(): Promise<unknown> | undefined
}

/** The number of shapes in all plans that are kept; the plan of a usual template has about ten. */
const shapesMax = 50_000

type Known = Readonly<Record<'plain' | 'verbose', TypesOf>>

export function createEventPlans(
  load: (names: readonly string[]) => Promise<readonly (ValuePlans | undefined)[]>,
): EventPlans {
  const known = new Map<string, Known | 'too large'>()
  const missed = new Set<string>()
  /** By name: streams that wake together miss the same plans. */
  const loading = new Map<string, Promise<void>>()
  let shapes = 0

  async function loadAll(names: readonly string[]): Promise<void> {
    const plans = await load(names)
    for (const [index, name] of names.entries()) keep(name, plans[index])
  }

  function keep(name: string, plans: ValuePlans | undefined): void {
    const more = 1 + (plans?.argument.length ?? 0) + (plans?.other?.length ?? 0)
    if (shapes + more > shapesMax) {
      known.clear()
      shapes = 0
    }
    shapes += more
    known.set(
      name,
      plans === undefined ? 'too large' : { plain: compiled(plans, false), verbose: compiled(plans, true) },
    )
  }

  function startLoading(names: readonly string[]): void {
    const all = loadAll(names).finally(() => {
      for (const name of names) loading.delete(name)
    })
    for (const name of names) loading.set(name, all)
  }

  return {
    of(name, isVerbose) {
      const found = known.get(name)
      if (found === undefined) missed.add(name)
      if (found === undefined || found === 'too large') throw new UnexpectedFormat(name)
      return isVerbose ? found.verbose : found.plain
    },
    missing() {
      if (missed.size === 0) return undefined
      const names = [...missed]
      missed.clear()
      const others = names.filter((name) => !loading.has(name))
      if (others.length > 0) startLoading(others)
      return Promise.all(names.map((name) => loading.get(name)))
    },
  }
}

function compiled({ argument, other }: ValuePlans, isVerbose: boolean): TypesOf {
  return { argument: compilePlan(argument, isVerbose), other: other && compilePlan(other, isVerbose) }
}
