// Mistakes in the type checker and the upgrade checker.
import { mutationsOf } from './mutation.ts'

export const checkerMutations = [
  ...mutationsOf(
    'src/lf/checking',
    ['test/differential/type-checker.test.ts'],
    [
      [
        'expressions.ts',
        'of expression.front) check(scope, element, type)',
        'of expression.front) typeOf(scope, element)',
      ],
      ['function-expressions.ts', 'check(scope, argument, called.left!.right!)', 'typeOf(scope, argument)'],
      ['expressions.ts', 'check(scope, expression.tail, types.listOf(type))', 'typeOf(scope, expression.tail)'],
      [
        'expressions.ts',
        'check(scope, expression.exception, exceptionType(expression.exceptionType))',
        'typeOf(scope, expression.exception)',
      ],
      [
        'serializability.ts',
        'if (signatures.isSerializable(type.identifier!)) return',
        'if (types !== undefined) return',
      ],
      ['serializability.ts', "if (found.tag !== 'star') fail", 'if (found.tag === undefined) fail'],
      [
        'serializability.ts',
        "constructors.kind !== 'record' && members.length === 0",
        "constructors.kind === 'enum' && members.length === 0",
      ],
      ['serializability.ts', "require('choice result', types.from(returnType))", ''],
      ['serializability.ts', "  Update: 'Update',\n", ''],
      ['variables.ts', 'types.set(names.pop()!, hidden.pop())', 'types.set(names.pop()!, undefined)'],
      [
        'members.ts',
        'of definitionsOf(module)) {\n    if (kind',
        'of definitionsOf(module).toReversed()) {\n    if (kind',
      ],
      ['templates.ts', 'checkBody(signatories,', 'if (name === undefined) checkBody(signatories,'],
      ['templates.ts', 'checkBody(key.maintainers,', 'if (name === undefined) checkBody(key.maintainers,'],
      ['templates.ts', 'if (signatures.hasInstance(required, template)) continue', 'continue'],
      ['templates.ts', 'if (instance.methods.has(name)) continue', 'continue'],
    ],
  ),
  ...mutationsOf(
    'src/lf/checking',
    ['src/lf/checking/types.test.ts', 'src/lf/checking/check-package.test.ts'],
    [
      ['substitution.ts', 'if (!names.has(type.name)) {', 'if (names !== undefined) {'],
      ['substitution.ts', 'if (type.replacedIn === scope.number)', 'if (type.replacement !== undefined)'],
      ['name-lists.ts', 'node.number ??= count++', 'node.number ??= 0'],
      ['check-package.ts', 'session = createSession(find, budget) //', '//'],
    ],
  ),
  ...mutationsOf(
    'src/lf/upgrading',
    ['src/lf/upgrading/check-upgrade.test.ts'],
    [
      ['check-upgrade.ts', 'if (before <= after) return', 'return'],
      ['check-upgrade.ts', 'if (!isSerializable) continue', 'if (isSerializable) continue'],
      ['check-upgrade.ts', 'if (types.isSame(past.returnType, present.returnType)) return', 'return'],
      ['check-upgrade.ts', 'if (types.isSame(past.type, present.type)) return', 'return'],
      ['check-upgrade.ts', '} else if (present !== undefined) {', '} else if (present === null) {'],
      ['check-upgrade.ts', '  yield* instanceProblems(before, after)\n', ''],
      ['data-type-check.ts', 'if (before.length !== after.length) {', 'if (before.length < 0) {'],
      [
        'data-type-check.ts',
        'added.filter(({ type }) => !isOptional(type))',
        'added.filter(({ type }) => type === undefined)',
      ],
      ['data-type-check.ts', 'i < present.length && name !== present[i]', 'i > present.length && name !== present[i]'],
      ['data-type-check.ts', 'filter((name) => !kept.has(name))', 'filter((name) => kept === undefined && name)'],
      ['compare-types.ts', 'before.version, after.version) <= 0', 'before.version, after.version) !== undefined'],
      ['compare-types.ts', '&& before.value === after.value', '&& before.value !== undefined'],
    ],
  ),
]
