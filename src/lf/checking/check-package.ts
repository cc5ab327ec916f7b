// Validates packages: names, cycles, language versions, types, serializability. Same verdict and same text as the
// reference (daml-lf/validation), which reports the first error in its own order of checks.
import { hashOfText } from '../../base/scala-hashes.ts'
import { inMapOrder, inTableOrder } from '../../base/scala-order.ts'
import { bodiesIn, type DecodedPackage } from '../archive/package.ts'
import { minorOf, type Package } from '../syntax/ast.ts'
import { createBuiltinTypes } from './builtin-types.ts'
import { checkCollisions } from './collisions.ts'
import { createDataTypes } from './data-types.ts'
import { createModuleCheck } from './definitions.ts'
import { createBodyCheck } from './expression-checker.ts'
import { createExpressionChecker } from './expressions.ts'
import { createKinding } from './kinding.ts'
import { type Budget, CheckLimitReached, checkLimits } from './limits.ts'
import { modulesOf, type VisitDefinitions, visitAsWritten, visitInOrder } from './members.ts'
import { createModuleUses } from './module-uses.ts'
import { createPatterns } from './patterns.ts'
import { checkModuleCycles, checkSynonymCycles, findCycle, type Graph } from './recursion.ts'
import { createSerializability } from './serializability.ts'
import { createSignatures, type FindPackage, type Signatures } from './signatures.ts'
import { createTemplateChecker } from './templates.ts'
import { createTypes } from './types.ts'
import { contextOf, createPlace, ValidationError } from './validation-error.ts'

export type PackageChecker = {
  /**
   * Reads every expression of the package and checks all of it. Returns the ids of the packages it refers to. Throws an
   * ArchiveError if the archive is damaged, a ValidationError if the package is not valid.
   */
  check(decoded: DecodedPackage): ReadonlySet<string>
  readonly budget: Budget
}

export type CreatePackageChecker = typeof createPackageChecker

/** Checks packages that may refer to each other: `find` finds all of them. They share one table of types. */
export function createPackageChecker(find: FindPackage): PackageChecker {
  const budget: Budget = { steps: checkLimits.stepsMax }
  let session = createSession(find, budget)

  /** The error that the reference reports first. The package is refused anyway, so a second check may take its time. */
  function firstProblem(decoded: DecodedPackage, found: ValidationError): unknown {
    try {
      createSession(find, budget).checkInOrder(decoded)
    } catch (error) {
      return asProblem(error, '') instanceof ValidationError && !(error instanceof ValidationError) ? found : error
    }
    return found
  }

  return {
    budget,
    check(decoded) {
      const { steps } = budget
      try {
        return session.check(decoded)
      } catch (error) {
        const found = asProblem(error, session.context())
        if (!(found instanceof ValidationError)) throw error
        if (budget.steps < 0) throw found
        session = createSession(find, budget) // An error leaves scopes open.
        budget.steps = steps
        throw firstProblem(decoded, found)
      }
    },
  }
}

/** The state of checking until the first error. */
function createSession(find: FindPackage, budget: Budget) {
  const place = createPlace()
  const context = (): string => contextOf(place)
  const uses = createModuleUses()
  const types = createTypes(budget, uses)
  const signatures = createSignatures({ find, uses, context })
  const kinding = createKinding({ types, signatures, context })
  const dataTypes = createDataTypes({ types, signatures, kinding })
  const patterns = createPatterns({ types, signatures, kinding, dataTypes })
  const shared = { types, place, signatures, kinding }
  const expressions = createExpressionChecker({
    ...shared,
    dataTypes,
    patterns,
    valueTypes: uses.cache(),
    builtinType: createBuiltinTypes(types),
  })
  const checkBody = createBodyCheck({ ...shared, expressions })
  const templates = createTemplateChecker({ ...shared, expressions, checkBody })
  const checkModule = createModuleCheck({ ...shared, expressions, checkBody, templates })
  const checkSerializability = createSerializability(shared)

  /** Reads each body once. Returns which modules use which (module-uses.ts). */
  function checkModules(described: Package, visitDefinitions: VisitDefinitions): Graph {
    const graph = new Map<string, readonly string[]>()
    for (const module of modulesOf(described)) {
      uses.begin(described.id, module.name)
      checkModule(described.id, module, visitDefinitions)
      checkSerializability(described.id, module, visitDefinitions)
      graph.set(module.name, uses.names())
    }
    return graph
  }

  function beginPackage(): void {
    place.reference = undefined
    place.location = undefined
  }

  return {
    context,

    /** Checks everything, in a fast order. */
    check({ package: described, checkBodies }: DecodedPackage): ReadonlySet<string> {
      beginPackage()
      checkCollisions(described)
      checkSynonymCycles(described, budget)
      let graph: Graph = new Map()
      const referred = checkBodies(() => {
        graph = checkModules(described, visitAsWritten)
      })
      if (findCycle(graph) !== undefined) checkBodies(() => checkModuleCycles(described))
      beginPackage()
      checkDependencyVersions(described, referred, signatures)
      return referred
    },

    /** Checks everything in the order of the reference, which reads every body first. */
    checkInOrder({ package: described, checkBodies }: DecodedPackage): void {
      beginPackage()
      const referred = checkBodies(() => {
        for (const module of described.modules.values()) for (const body of bodiesIn(module)) body()
      })
      checkCollisions(described)
      checkBodies(() => checkModuleCycles(described))
      checkSynonymCycles(described, budget)
      checkDependencyVersions(described, referred, signatures)
      checkBodies(() => checkModules(described, visitInOrder))
    },
  }
}

/** A package that overflows the stack counts as too large. */
function asProblem(error: unknown, context: string): unknown {
  if (error instanceof CheckLimitReached) return new ValidationError('ELimitReached', context, error.message)
  if (!(error instanceof RangeError)) return error
  return new ValidationError('ELimitReached', context, 'the package is nested too deep')
}

/**
 * A package may not refer to packages of a newer language version (DependencyVersion.scala). `referred` holds the ids of
 * the packages that it refers to.
 */
function checkDependencyVersions(described: Package, referred: ReadonlySet<string>, signatures: Signatures): void {
  // The reference collects them in a mutable set and copies it into an immutable one.
  for (const id of inMapOrder(inTableOrder([...referred], hashOfText), hashOfText)) {
    const other = signatures.package(id)
    if (minorOf(described.languageVersion) >= minorOf(other.languageVersion)) continue
    const own = `package ${described.id} using version ${described.languageVersion}`
    const needed = `package ${id} using newer version ${other.languageVersion}`
    throw new ValidationError('EModuleVersionDependencies', '', `${own} depends on ${needed}`)
  }
}
