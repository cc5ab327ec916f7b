// Code that counts, for packages whose coverage is asked for. For all others nothing is written: their code is the same
// whether or not there is coverage.
import type { Alternative, Expression, Identifier, Location, Pattern } from '../../lf/syntax/ast.ts'
import { fullName } from '../../lf/syntax/names.ts'
import type { LfValue } from '../../lf/values/values.ts'
import { asUpdate } from '../code/apply.ts'
import type { ChoiceCode } from '../code/code.ts'
import { DamlException, Failure } from '../failures/failures.ts'
import { type Coverage, keyOfPoint, type Point } from './coverage.ts'
import { impure } from './operands.ts'
import type { Covered, Operand, Scope } from './scope.ts'

/** The definition as its code counts; undefined if its package is not covered. */
export function coveredDefinition(
  coverage: Coverage | undefined,
  packageId: string,
  definition: string,
  body: Expression,
): Covered | undefined {
  if (coverage?.covers(packageId) !== true || !isWritten(definition, body)) return undefined
  const cases = new Map<string, number>()
  return {
    coverage,
    nameCase({ startLine, startColumn }) {
      const place = `${startLine}:${startColumn}`
      const number = cases.get(place) ?? 0
      cases.set(place, number + 1)
      return `${definition} ${number}`
    },
    fallThroughs: new Set(),
  }
}

/** The compiler gives selectors the place of their field. */
const selectorName = /:(\$\$\$\$sc_)?\$\$sel\$u003a/
/** And a method that is derived the place of its class: all of it the same. */
const methodName = /:(\$\$\$\$sc_)?\$\$c/

function isWritten(definition: string, body: Expression): boolean {
  if (selectorName.test(definition)) return false
  return !methodName.test(definition) || hasSeveralPlaces(body)
}

function hasSeveralPlaces(body: Expression): boolean {
  const seen = new Set<object>()
  const places = new Set<string>()
  const look = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return false
    seen.add(part)
    const { location } = part as { location?: Location }
    if (location !== undefined) places.add(keyOfPoint({ kind: 'place', at: location }))
    return places.size > 1 || Object.values(part).some(look)
  }
  return look(body)
}

/** Counts that evaluation has come to this expression. */
export function countPlace({ location }: Expression, scope: Scope): void {
  if (scope.covered !== undefined && location !== undefined) countPoint({ kind: 'place', at: location }, scope)
}

function countPoint(point: Point, { covered, writer, constant }: Scope): void {
  const { coverage } = covered!
  if ('at' in point && !coverage.covers(point.at.packageId)) return
  const index = coverage.indexOf(point)
  if (index !== undefined) writer.line(`${constant(coverage.counts)}[${index}]++;`)
}

// ── Branches

type Case = Extract<Expression, { kind: 'case' }>

/** For each arm, what counts it; undefined for arms that are no branch of the source. */
export function armCounters(expression: Case, scope: Scope): readonly ((() => void) | undefined)[] {
  const { alternatives, location } = expression
  const nothing = alternatives.map(() => undefined)
  if (scope.covered === undefined) return nothing
  const at = location ?? scope.writer.here().location
  if (at === undefined) return nothing
  // Without a place of its own, a case comes from patterns; the arms for those that do not match are the compiler's.
  const isBranch = ({ body }: Alternative) => location !== undefined || hasPlace(body) || fallsThrough(body, scope)
  if (alternatives.filter(isBranch).length < 2) return nothing
  const of = scope.covered.nameCase(at)
  return alternatives.map((alternative, arm) => {
    if (!isBranch(alternative)) return undefined
    return () => countPoint({ kind: 'arm', at, of, arm, pattern: patternText(alternative.pattern) }, scope)
  })
}

/** Notes a variable that stands for the code of a pattern, if it does. */
export function noteFallThrough(name: string, bound: Expression, { covered }: Scope): void {
  if (covered !== undefined && bound.kind === 'abstraction' && hasPlace(bound)) covered.fallThroughs.add(name)
}

function fallsThrough(body: Expression, { covered }: Scope): boolean {
  if (body.kind !== 'application' || body.args.length !== 1) return false
  const { head } = spineOf(body)
  return head.kind === 'variable' && covered!.fallThroughs.has(head.name)
}

const placed = new WeakMap<object, boolean>()

/** Whether any part of the expression was written in the source. */
function hasPlace(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  const known = placed.get(part)
  if (known !== undefined) return known
  const isPlaced = (part as { location?: unknown }).location !== undefined || Object.values(part).some(hasPlace)
  placed.set(part, isPlaced)
  return isPlaced
}

function patternText(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'default':
      return '_'
    case 'variant':
    case 'enum':
      return pattern.tag
    case 'builtin-constructor':
      return { unit: '()', false: 'False', true: 'True' }[pattern.name]
    case 'nil':
      return '[]'
    case 'cons':
      return '::'
    case 'none':
      return 'None'
    case 'some':
      return 'Some'
  }
}

// ── Assertions

const assertionModules: ReadonlySet<string> = new Set(['DA.Assert', 'DA.Internal.Assert'])
/** `===` and `=/=` as LF spells them, and all others but the one that always fails. */
const assertionName = /^(assert(?!Fail)|\$u003d)/
/** The compiler makes closed parts of an expression values of their own, with this name; one may hold another. */
const liftedName = /^\$\$\$\$sc_/
const liftedMax = 4

/** An application that asserts something is watched: it fails when it, or the update that it returns, does. */
export function watchAssertion(expression: Extract<Expression, { kind: 'application' }>, scope: Scope) {
  return (operand: Operand): Operand => {
    const { covered, writer, constant, runtime } = scope
    const at = writer.here().location
    if (covered === undefined || at === undefined || operand.isPure || !isAssertion(expression, scope)) return operand
    const [made, failed] = (['assertion', 'failed assertion'] as const).map((kind) =>
      covered.coverage.indexOf({ kind, at }),
    )
    if (failed === undefined) return operand
    const counts = constant(covered.coverage.counts)
    return impure(`${runtime('watchAssertion')}(() => ${operand.code}, ${counts}, ${made}, ${failed})`)
  }
}

/** Scripts assert what they have found: that this never fails is no news. */
function isAssertion(expression: Expression, scope: Scope, lifted = 0): boolean {
  const { head, args } = spineOf(expression)
  if (head.kind !== 'value') return false
  const { module, name } = head.id
  if (assertionModules.has(module)) {
    return assertionName.test(name) && !args.some((arg) => isOfScripts(spineOf(arg).head))
  }
  if (!liftedName.test(name) || args.some((arg) => isOfScripts(spineOf(arg).head))) return false
  return lifted < liftedMax && isLiftedAssertion(head.id, scope, lifted)
}

/** Whether lifted values assert something, which is read from the package once. */
const liftedAssertions = new WeakMap<Coverage, Map<string, boolean>>()

function isLiftedAssertion(id: Identifier, scope: Scope, lifted: number): boolean {
  const { coverage } = scope.covered!
  const known = liftedAssertions.get(coverage) ?? new Map<string, boolean>()
  liftedAssertions.set(coverage, known)
  const key = fullName(id)
  const isOne = known.get(key) ?? isAssertion(scope.source(id), scope, lifted + 1)
  known.set(key, isOne)
  return isOne
}

function isOfScripts(head: Expression): boolean {
  return head.kind === 'value' && head.id.module.startsWith('Daml.Script')
}

/** The function that is applied in the end, and all its arguments. */
function spineOf(expression: Expression): { head: Expression; args: readonly Expression[] } {
  let head = expression
  const args: Expression[] = []
  for (;;) {
    if (head.kind === 'application') {
      args.push(...head.args)
      head = head.function
    } else if (head.kind === 'type-application') head = head.expression
    else return { head, args }
  }
}

/** Called by covered code. Whatever is no update yet, such as a partial application, asserts nothing. */
export function runWatchingAssertion(
  assertion: () => LfValue,
  counts: number[],
  made: number,
  failed: number,
): LfValue {
  const counted = <Result>(run: () => Result): Result => {
    try {
      return run()
    } catch (error) {
      if (error instanceof DamlException || error instanceof Failure) counts[failed]!++
      throw error
    }
  }
  const result = counted(assertion)
  if (typeof result !== 'function' || result.length > 0) return result
  const update = asUpdate(result)
  return (effects: Parameters<typeof update>[0] = 0 as never) => {
    counts[made]!++
    return counted(() => update(effects))
  }
}

// ── Choices

/** The choice, counted when it is attempted and when it completes. */
export function countedChoice(coverage: Coverage | undefined, of: Identifier, choice: ChoiceCode): ChoiceCode {
  if (coverage?.covers(of.packageId) !== true) return choice
  const { packageId } = of
  const name = `${of.module}:${of.name}:${choice.name}`
  const attempted = coverage.indexOf({ kind: 'attempted choice', packageId, name })
  const completed = coverage.indexOf({ kind: 'completed choice', packageId, name })
  if (attempted === undefined || completed === undefined) return choice
  const { counts } = coverage
  return {
    ...choice,
    controllers(contract, argument) {
      counts[attempted]!++
      return choice.controllers(contract, argument)
    },
    update(self, contract, argument) {
      const update = asUpdate(choice.update(self, contract, argument))
      return (effects = 0 as never) => {
        const result = update(effects)
        counts[completed]!++
        return result
      }
    },
  }
}
