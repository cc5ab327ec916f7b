// How values of events are rendered, by the name of their template or choice. The packages are in the threads of the
// engine; a plan is asked of them once, when its first value is to be rendered.
import { UnexpectedFormat } from '../../lf/codec/json-reader.ts'
import type { ValuePlans } from '../../lf/codec/value-plan.ts'
import { compilePlan, type RenderedPlan } from '../../lf/codec/value-rendering.ts'

export type TypesOf = {
  /** Of the contract or the choice. */
  readonly argument: RenderedPlan
  /** The key of a template, the result of a choice. */
  readonly other: RenderedPlan | undefined
}

export type EventPlans = {
  /** `package:Module:Template` or `package:Module:Type:Choice`. Throws UnexpectedFormat if it is not known, or too large. */
  of(name: string, isVerbose: boolean): TypesOf
  /** Asks for what `of` missed; undefined if it missed nothing. */
  missing(): Promise<unknown> | undefined
}

/** In all plans that are kept; the plan of a usual template has about ten. */
const shapesMax = 50_000

type Known = Readonly<Record<'plain' | 'verbose', TypesOf>>

export function createEventPlans(
  load: (names: readonly string[]) => Promise<readonly (ValuePlans | undefined)[]>,
): EventPlans {
  const known = new Map<string, Known | 'too large'>()
  const missed = new Set<string>()
  let shapes = 0
  const forget = (name: string) => asked.delete(name)

  /** By name, while it is asked for: streams that wake together miss the same. */
  const asked = new Map<string, Promise<void>>()

  async function ask(names: readonly string[]): Promise<void> {
    const plans = await load(names)
    for (const [index, name] of names.entries()) {
      const found = plans[index]
      const more = 1 + (found?.argument.length ?? 0) + (found?.other?.length ?? 0)
      if (shapes + more > shapesMax) {
        known.clear()
        shapes = 0
      }
      shapes += more
      known.set(
        name,
        found === undefined ? 'too large' : { plain: compiled(found, false), verbose: compiled(found, true) },
      )
    }
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
      const names = [...missed].filter((name) => !asked.has(name))
      const asking = names.length === 0 ? undefined : ask(names).finally(() => names.forEach(forget))
      for (const name of names) asked.set(name, asking!)
      const all = Promise.all([...missed].map((name) => asked.get(name)))
      missed.clear()
      return all
    },
  }
}

function compiled({ argument, other }: ValuePlans, isVerbose: boolean): TypesOf {
  return { argument: compilePlan(argument, isVerbose), other: other && compilePlan(other, isVerbose) }
}
