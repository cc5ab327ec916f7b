// What covered code counts: each place of the source that evaluation comes to, each arm of a case, each assertion and each
// choice. Threads number these points as they compile them, so they report counts by the points' keys.
import type { Location } from '../../lf/syntax/ast.ts'

export type Point =
  | { readonly kind: 'place'; readonly at: Location }
  | {
      readonly kind: 'arm'
      readonly at: Location
      /** The definition, and the number of the case among those that it has at this place. */
      readonly of: string
      /** Its index among the arms of the case, and what it matches. */
      readonly arm: number
      readonly pattern: string
    }
  | { readonly kind: 'assertion' | 'failed assertion'; readonly at: Location }
  /** A choice is attempted when its controllers are computed. */
  | { readonly kind: 'attempted choice' | 'completed choice'; readonly packageId: string; readonly name: string }

/** How often each point was passed, by its key. */
export type Counts = ReadonlyMap<string, number>

export type Coverage = {
  covers(packageId: string): boolean
  /** Covered code increments its elements. */
  readonly counts: number[]
  /** The element of `counts` for this point; undefined if there are too many points. */
  indexOf(point: Point): number | undefined
  /** All points of the code that was compiled so far. */
  points(): readonly Point[]
  /** What was counted since the last call. */
  take(): Counts
}

/** Points that are counted; the largest published package has some ten thousand. */
export const pointsMax = 500_000

export function createCoverage(packageIds: readonly string[], max = pointsMax): Coverage {
  const covered = new Set(packageIds)
  const indexes = new Map<string, number>()
  const points: Point[] = []
  const counts: number[] = []
  return {
    covers: (packageId) => covered.has(packageId),
    counts,
    indexOf(point) {
      const key = keyOfPoint(point)
      const known = indexes.get(key)
      if (known !== undefined || points.length >= max) return known
      indexes.set(key, points.length)
      counts.push(0)
      return points.push(point) - 1
    },
    points: () => points,
    take() {
      const taken = new Map<string, number>()
      for (const [key, index] of indexes) {
        if (counts[index] === 0) continue
        taken.set(key, counts[index]!)
        counts[index] = 0
      }
      return taken
    },
  }
}

/** Adds counts of several threads, or several runs. */
export function addCounts(to: Map<string, number>, counts: Counts): void {
  for (const [key, count] of counts) to.set(key, (to.get(key) ?? 0) + count)
}

/** The same in every thread. */
export function keyOfPoint(point: Point): string {
  if (!('at' in point)) return `${point.kind} ${point.packageId} ${point.name}`
  const { packageId, module, startLine, startColumn, endLine, endColumn } = point.at
  const place = `${point.kind} ${packageId} ${module} ${startLine} ${startColumn} ${endLine} ${endColumn}`
  return point.kind === 'arm' ? `${place} ${point.of} ${point.arm}` : place
}
