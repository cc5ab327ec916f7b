// Ledger effects: the fifteen forms of Update of daml_lf2.proto, one row each. `lookup_by_key` and exercise guards
// exist only in development versions and so count as unknown fields.
import type { Binding, Expression, Update } from '../syntax/ast.ts'
import type { Content } from './content.ts'
import { internedName, unit } from './contents.ts'
import { identifier } from './identifiers.ts'
import { form, many, mapped, message, once, oneOf } from './message.ts'
import { parameter, type } from './types.ts'

export function updateWith(expression: Content<Expression>): Content<Update> {
  const binding = bindingWith(expression)

  const pure = message(
    'Pure',
    [once(1, 'type', type), once(2, 'expr', expression)],
    (type, value): Update => ({ kind: 'pure', type, value }),
  )

  const block = message(
    'Block',
    [many(1, 'bindings', binding), once(2, 'body', expression)],
    (bindings, body): Update => ({ kind: 'block', bindings, body }),
  )

  const create = message(
    'Update.Create',
    [once(1, 'template', identifier), once(2, 'expr', expression)],
    (template, value): Update => ({ kind: 'create', template, value }),
  )

  const createInterface = message(
    'Update.CreateInterface',
    [once(1, 'interface', identifier), once(2, 'expr', expression)],
    (iface, value): Update => ({ kind: 'create-interface', interface: iface, value }),
  )

  const exercise = message(
    'Update.Exercise',
    [
      once(1, 'template', identifier),
      once(6, 'choice_interned_str', internedName),
      once(3, 'cid', expression),
      once(5, 'arg', expression),
    ],
    (template, choice, contractId, argument): Update => ({ kind: 'exercise', template, choice, contractId, argument }),
  )

  const exerciseInterface = message(
    'Update.ExerciseInterface',
    [
      once(1, 'interface', identifier),
      once(2, 'choice_interned_str', internedName),
      once(3, 'cid', expression),
      once(4, 'arg', expression),
    ],
    (iface, choice, contractId, argument): Update => {
      return { kind: 'exercise-interface', interface: iface, choice, contractId, argument }
    },
  )

  const exerciseByKey = message(
    'Update.ExerciseByKey',
    [
      once(1, 'template', identifier),
      once(2, 'choice_interned_str', internedName),
      once(3, 'key', expression),
      once(4, 'arg', expression),
    ],
    (template, choice, key, argument): Update => ({ kind: 'exercise-by-key', template, choice, key, argument }),
  )

  const fetch = message(
    'Update.Fetch',
    [once(1, 'template', identifier), once(2, 'cid', expression)],
    (template, contractId): Update => ({ kind: 'fetch', template, contractId }),
  )

  const fetchInterface = message(
    'Update.FetchInterface',
    [once(1, 'interface', identifier), once(2, 'cid', expression)],
    (iface, contractId): Update => ({ kind: 'fetch-interface', interface: iface, contractId }),
  )

  const fetchByKey = message(
    'Update.RetrieveByKey',
    [once(1, 'template', identifier)],
    (template): Update => ({ kind: 'fetch-by-key', template }),
  )

  const queryNByKey = message(
    'Update.QueryNByKey',
    [once(1, 'template', identifier)],
    (template): Update => ({ kind: 'query-n-by-key', template }),
  )

  const embedExpression = message(
    'Update.EmbedExpr',
    [once(1, 'type', type), once(2, 'body', expression)],
    (type, body): Update => ({ kind: 'embed-expression', type, body }),
  )

  const tryCatch = message(
    'Update.TryCatch',
    [
      once(1, 'return_type', type),
      once(2, 'try_expr', expression),
      once(3, 'var_interned_str', internedName),
      once(4, 'catch_expr', expression),
    ],
    (returnType, body, binder, handler): Update => ({ kind: 'try-catch', returnType, body, binder, handler }),
  )

  return oneOf<Update>('Update', [
    form(1, 'pure', pure),
    form(2, 'block', block),
    form(3, 'create', create),
    form(4, 'exercise', exercise),
    form(5, 'fetch', fetch),
    form(
      6,
      'get_time',
      mapped(unit, (): Update => ({ kind: 'get-time' })),
    ),
    form(7, 'embed_expr', embedExpression),
    form(9, 'fetch_by_key', fetchByKey, 3),
    form(10, 'exercise_by_key', exerciseByKey, 3),
    form(11, 'try_catch', tryCatch),
    form(12, 'create_interface', createInterface),
    form(13, 'exercise_interface', exerciseInterface),
    form(14, 'fetch_interface', fetchInterface),
    form(
      15,
      'ledger_time_lt',
      mapped(expression, (time): Update => ({ kind: 'ledger-time-lt', time })),
    ),
    form(16, 'query_n_by_key', queryNByKey, 3),
  ])
}

export function bindingWith(expression: Content<Expression>): Content<Binding> {
  return message(
    'Binding',
    [once(1, 'binder', parameter), once(2, 'bound', expression)],
    ({ name, type }, bound): Binding => ({ name, type, bound }),
  )
}
