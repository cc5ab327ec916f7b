// Lists what there is to cover in packages, whether or not evaluation comes to it: all of it is compiled, in a thread of its
// own, as scripts run in threads.
import type { Clock } from '../../base/clock.ts'
import { type Point, pointsMax } from '../../engine/compile/coverage.ts'
import { openScriptThread } from '../open-script-thread.ts'

export type Survey = {
  readonly points: readonly Point[]
  /** Why the list is not whole, for people. */
  readonly problems: readonly string[]
}

type SurveyedPackage = {
  readonly id: string
  /** Name and version. */
  readonly name: string
}

const surveyMs = 120_000

/** `dalfs` are these packages, and all they refer to. */
export async function surveyPackages(
  packages: readonly SurveyedPackage[],
  dalfs: ReadonlyMap<string, Uint8Array>,
  limits: Parameters<typeof openScriptThread>[1],
  clock: Clock,
): Promise<Survey> {
  const ids = packages.map(({ id }) => id)
  await using thread = openScriptThread(dalfs, limits, clock, { covered: ids })
  const timer = clock.after(surveyMs, () => void thread[Symbol.asyncDispose]())
  try {
    // Compiling one package meets the code of others.
    const rank = (point: Point) => ids.indexOf('at' in point ? point.at.packageId : point.packageId)
    const points = (await thread.survey()).toSorted((one, other) => rank(one) - rank(other))
    return { points, problems: problemsOf(points, packages) }
  } catch (error) {
    const names = packages.map(({ name }) => name).join(', ')
    return {
      points: [],
      problems: [`what there is to cover in ${names} cannot be listed: ${(error as Error).message}`],
    }
  } finally {
    timer.cancel()
  }
}

function problemsOf(points: readonly Point[], packages: readonly SurveyedPackage[]): string[] {
  const located = new Set(points.flatMap((point) => (point.kind === 'place' ? point.at.packageId : [])))
  const isCut = points.length >= pointsMax
  return [
    ...(isCut ? [`only the first ${pointsMax} places are counted`] : []),
    ...packages
      .filter(({ id }) => !isCut && !located.has(id))
      .map(({ name }) => `${name} was compiled without locations: its lines cannot be counted`),
  ]
}
