// What scripts covered of the sources: lines and branches by file, and what never went wrong: choices that only ever
// succeeded, and assertions that never failed.
import { addCounts, type Counts, keyOfPoint, type Point } from '../../engine/compile/coverage.ts'
import type { Location } from '../../lf/syntax/ast.ts'

export type SourceCoverage = {
  /** Packages in the order in which their points came, their modules by name. */
  readonly files: readonly CoveredFile[]
  readonly choices: readonly CountedChoice[]
  readonly assertions: readonly CountedAssertion[]
}

/** A module, whose source is one file. */
export type CoveredFile = {
  readonly packageId: string
  readonly module: string
  /** By their numbers, from one. Only lines on which something begins that evaluation comes to. */
  readonly lines: ReadonlyMap<number, CountedLine>
  readonly branches: readonly Branch[]
  readonly places: readonly CountedPlace[]
}

/** A line ran as often as the first part of it that ran; it ran in part if another part never did. */
export type CountedLine = { readonly count: number; readonly isPartial: boolean }
export type CountedPlace = { readonly at: Location; readonly count: number }
/** The arms of a case. */
export type Branch = { readonly at: Location; readonly arms: readonly Arm[] }
export type Arm = { readonly pattern: string; readonly count: number }
export type CountedAssertion = { readonly at: Location; readonly made: number; readonly failed: number }
export type CountedChoice = {
  readonly packageId: string
  readonly name: string
  readonly attempted: number
  readonly completed: number
}

/** How many of all. */
export type Share = { readonly covered: number; readonly all: number }

/** Counts of all threads, from all scripts. */
export function createTally(): { readonly counts: Counts; add(more: Counts): void } {
  const counts = new Map<string, number>()
  return { counts, add: (more) => addCounts(counts, more) }
}

export function sourceCoverage(points: readonly Point[], counts: Counts): SourceCoverage {
  const countOf = (point: Point) => counts.get(keyOfPoint(point)) ?? 0
  const packages = Map.groupBy(points.filter(isInSource), ({ at }) => at.packageId)
  const files = [...packages.values()].flatMap((own) =>
    [...Map.groupBy(own, ({ at }) => at.module)]
      .sort(([one], [other]) => compareText(one, other))
      .map(([, ofModule]) => fileOf(ofModule, countOf)),
  )
  return { files, choices: choicesIn(points, countOf), assertions: assertionsIn(points, countOf) }
}

type CountOf = (point: Point) => number
type InSource = Extract<Point, { at: Location }>

function isInSource(point: Point): point is InSource {
  return point.kind === 'place' || point.kind === 'arm'
}

function fileOf(points: readonly InSource[], countOf: CountOf): CoveredFile {
  const { packageId, module } = points[0]!.at
  const places = points
    .filter(({ kind }) => kind === 'place')
    .map((point): CountedPlace => ({ at: point.at, count: countOf(point) }))
    .sort((one, other) => comparePlaces(one.at, other.at))
  const lines = new Map<number, CountedLine>()
  for (const [line, begun] of Map.groupBy(places, ({ at }) => at.startLine + 1)) {
    const count = begun.find((place) => place.count > 0)?.count ?? 0
    lines.set(line, { count, isPartial: count > 0 && begun.some((place) => place.count === 0) })
  }
  const arms = points.filter((point) => point.kind === 'arm')
  const cases = Map.groupBy(arms, ({ at, of }) => `${at.startLine} ${at.startColumn} ${of}`)
  const branches = [...cases.values()]
    .map((own): Branch => {
      const sorted = own.toSorted((one, other) => one.arm - other.arm)
      return {
        at: sorted[0]!.at,
        arms: sorted.map((point) => ({ pattern: point.pattern, count: countOf(point) })),
      }
    })
    .sort((one, other) => comparePlaces(one.at, other.at))
  return { packageId, module, lines, branches, places }
}

function choicesIn(points: readonly Point[], countOf: CountOf): CountedChoice[] {
  return points
    .flatMap((point) => {
      if (point.kind !== 'attempted choice') return []
      const { packageId, name } = point
      const completed = countOf({ kind: 'completed choice', packageId, name })
      return [{ packageId, name, attempted: countOf(point), completed }]
    })
    .sort((one, other) => compareText(one.name, other.name))
}

function assertionsIn(points: readonly Point[], countOf: CountOf): CountedAssertion[] {
  return points
    .flatMap((point) => {
      if (point.kind !== 'assertion') return []
      const { at } = point
      return [{ at, made: countOf(point), failed: countOf({ kind: 'failed assertion', at }) }]
    })
    .sort((one, other) => compareText(one.at.module, other.at.module) || comparePlaces(one.at, other.at))
}

const compareText = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1)

/** A place comes before those inside it. */
function comparePlaces(one: Location, other: Location): number {
  return (
    one.startLine - other.startLine ||
    one.startColumn - other.startColumn ||
    other.endLine - one.endLine ||
    other.endColumn - one.endColumn
  )
}

// ── Sums

export function linesOf({ lines }: CoveredFile): Share {
  return { covered: lines.values().reduce((sum, { count }) => sum + (count > 0 ? 1 : 0), 0), all: lines.size }
}

export function branchesOf({ branches }: CoveredFile): Share {
  const arms = branches.flatMap(({ arms }) => arms)
  return { covered: arms.filter(({ count }) => count > 0).length, all: arms.length }
}

export function sumOf(shares: readonly Share[]): Share {
  return shares.reduce((sum, { covered, all }) => ({ covered: sum.covered + covered, all: sum.all + all }), {
    covered: 0,
    all: 0,
  })
}

/** `3 of 4 (75.0%)`, and a dash if there is nothing to cover. */
export function shareText({ covered, all }: Share): string {
  return all === 0 ? '–' : `${covered} of ${all} (${((100 * covered) / all).toFixed(1)}%)`
}

/** Choices that ran, and were never refused. Archive has no code of its own. */
export function onlySucceeded({ choices }: SourceCoverage): CountedChoice[] {
  return choices.filter(
    ({ name, attempted, completed }) => completed > 0 && attempted === completed && !name.endsWith(':Archive'),
  )
}

export function neverFailed({ assertions }: SourceCoverage): CountedAssertion[] {
  return assertions.filter(({ made, failed }) => made > 0 && failed === 0)
}

/** `Module:line:column`, counted from one, as in editors. */
export function placeText({ module, startLine, startColumn }: Location): string {
  return `${module}:${startLine + 1}:${startColumn + 1}`
}
