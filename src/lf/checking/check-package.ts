// Validates packages: names, cycles, language versions, types, serializability. Same verdict and same text as the
// reference (daml-lf/validation), which reports the first error in its own order of checks.
import { bodiesIn, type DecodedPackage } from '../archive/package.ts'
import type { Body, Expression, Package } from '../syntax/ast.ts'
import { createBodyCheck } from './body-check.ts'
import { createBuiltinTypes } from './builtin-types.ts'
import { checkCollisions } from './collisions.ts'
import { findCycle, type Graph } from './cycles.ts'
import { createDataTypes } from './data-types.ts'
import { createModuleCheck } from './definitions.ts'
import { checkDependencyVersions } from './dependency-versions.ts'
import { createExpressionChecker } from './expressions.ts'
import { createInterfaceExpressions } from './interface-expressions.ts'
import { createKinding } from './kinding.ts'
import { type Budget, CheckLimitReached, checkLimits, spend } from './limits.ts'
import { modulesOf } from './members.ts'
import { createPatterns } from './patterns.ts'
import { contextOf, createPlace } from './place.ts'
import { addDeclaredNames, checkModuleCycles, checkSynonymCycles, createUsedModules } from './recursion.ts'
import { createSerializability } from './serializability.ts'
import { createSignatures, type FindPackage } from './signatures.ts'
import { createTemplateChecker } from './templates.ts'
import { createTypes } from './types.ts'
import { createUpdateExpressions } from './update-expressions.ts'
import { ValidationError } from './validation-error.ts'

export type PackageChecker = {
  /**
   * Reads every expression of the package and checks all of it. Returns the ids of the packages it refers to. Throws an
   * ArchiveError if the archive is damaged, a ValidationError if the package is not valid.
   */
  check(decoded: DecodedPackage): ReadonlySet<string>
  readonly budget: Budget
}

export type CreatePackageChecker = typeof createPackageChecker

/** Checks packages that may refer to each other: `find` finds all of them. What is known of types is shared. */
export function createPackageChecker(find: FindPackage, stepsMax: number = checkLimits.stepsMax): PackageChecker {
  const budget: Budget = { steps: stepsMax }
  const place = createPlace()
  const context = (): string => contextOf(place)
  const types = createTypes(budget)
  const signatures = createSignatures(find, context)
  const kinding = createKinding({ types, signatures, context })
  const dataTypes = createDataTypes({ types, signatures, kinding })
  const patterns = createPatterns({ types, signatures, kinding, dataTypes })
  const shared = { types, place, signatures, kinding }
  const expressions = createExpressionChecker({
    ...shared,
    dataTypes,
    patterns,
    builtinType: createBuiltinTypes(types),
    interfaceExpressions: (checker) => createInterfaceExpressions({ types, signatures, kinding, checker }),
    updateExpressions: (checker) => createUpdateExpressions({ types, signatures, kinding, checker }),
  })
  let used = createUsedModules('', '')
  const read = (body: Body): Expression => {
    const expression = body()
    used.allOf(expression, () => spend(budget))
    return expression
  }
  const checkBody = createBodyCheck({ ...shared, expressions, read })
  const templates = createTemplateChecker({ ...shared, expressions, checkBody })
  const checkModule = createModuleCheck({ ...shared, expressions, read, checkBody, templates })
  const checkSerializability = createSerializability(shared)

  /** Reads each body once. Returns which modules use which, and maybe a few more. */
  function checkModules(described: Package): Graph {
    const graph = new Map<string, readonly string[]>()
    checkSynonymCycles(described)
    for (const module of modulesOf(described)) {
      used = createUsedModules(described.id, module.name)
      addDeclaredNames(module, used)
      checkModule(described.id, module)
      checkSerializability(described.id, module)
      graph.set(module.name, [...used.names])
    }
    return graph
  }

  /** What the reference checks before types, and what reads every body. */
  function checkBefore({ package: described, checkBodies }: DecodedPackage): void {
    place.reference = undefined
    place.location = undefined
    const referred = checkBodies(() => {
      for (const module of described.modules.values()) for (const body of bodiesIn(module)) body()
    })
    checkCollisions(described)
    checkBodies(() => checkModuleCycles(described))
    checkSynonymCycles(described)
    checkDependencyVersions(described, referred, signatures)
  }

  function checkAll({ package: described, checkBodies }: DecodedPackage): ReadonlySet<string> {
    place.reference = undefined
    place.location = undefined
    checkCollisions(described)
    let graph: Graph = new Map()
    const referred = checkBodies(() => {
      graph = checkModules(described)
    })
    if (findCycle(graph) !== undefined) checkBodies(() => checkModuleCycles(described))
    place.reference = undefined
    place.location = undefined
    checkDependencyVersions(described, referred, signatures)
    return referred
  }

  return {
    budget,
    check(decoded) {
      try {
        return checkAll(decoded)
      } catch (error) {
        const problem = asProblem(error, contextOf(place))
        if (!(problem instanceof ValidationError)) throw error
        if (budget.steps < 0) throw problem
        // Something is wrong, so what comes first may be as slow as it likes, but not too large itself.
        try {
          checkBefore(decoded)
        } catch (first) {
          if (!(asProblem(first, '') instanceof ValidationError) || first instanceof ValidationError) throw first
        }
        throw problem
      }
    },
  }
}

/** Too deep for the stack is too large, too. */
function asProblem(error: unknown, context: string): unknown {
  if (error instanceof CheckLimitReached) return new ValidationError('ELimitReached', context, error.message)
  if (!(error instanceof RangeError)) return error
  return new ValidationError('ELimitReached', context, 'the package is nested too deep')
}
