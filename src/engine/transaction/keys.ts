// Contracts by key: the first one, for an effect on it, or several, as a query.

import { tuple2Type } from '../../lf/values/data-types.ts'
import { asInt64 } from '../../lf/values/kinds.ts'
import { ContractId, type Int64, type LfRecord, type LfValue, listFromArray, Some } from '../../lf/values/values.ts'
import type { TemplateCode } from '../code/code.ts'
import { uncatchable } from '../code/evaluation-failures.ts'
import { Failure } from '../failures/failures.ts'
import { steps } from '../failures/steps.ts'
import { authorizeQuery } from './authority.ts'
import { type Contract, keyWith, maintainersOf } from './contracts.ts'
import { fetchWithoutMaintainers, keyNotFound } from './effect-failures.ts'
import { addAction, nodeSteps, type Running } from './effects.ts'
import { type ContractKey, unnumbered } from './nodes.ts'

const contractsByKeyMax = 1_000_000

export function firstWithKey(
  running: Running,
  template: TemplateCode,
  value: LfValue,
): { readonly id: string; readonly contract: Contract } {
  const key = keyFor(running, template, value)
  const id = running.state.query(template, key, 1).ids[0]
  if (id === undefined) throw keyNotFound(template, key, running.textOf)
  return { id, contract: running.reader.byTemplate(template, id) }
}

export function queryByKey(running: Running, template: TemplateCode, count: Int64, value: LfValue): LfValue {
  steps.charge(nodeSteps)
  const { state, reader, scope, nextNode } = running
  const wanted = asInt64(count) < contractsByKeyMax ? Number(count) : contractsByKeyMax
  const key = keyFor(running, template, value, () => {
    if (wanted >= 1) return
    const text = `Invalid argument n for QueryNByKey: ${wanted}. Expected a positive integer.`
    throw new Failure('INTERPRETER_ERROR', text)
  })
  authorizeQuery(nextNode, template.id, key.maintainers, scope.authority)
  const { ids, isExhaustive } = state.query(template, key, wanted)
  const found = ids.map((id) => pair(id, reader.byTemplate(template, id).argument))
  running.nextNode += 1
  addAction(running, {
    kind: 'query-by-key',
    packageName: template.package.name,
    templateId: template.id,
    key,
    result: ids,
    isExhaustive,
    id: unnumbered,
    lastDescendantId: unnumbered,
  })
  return new Some(listFromArray(found))
}

/** A stable `DA.Types:Tuple2` of a contract id and its contract. */
export function pair(id: string, argument: LfRecord): LfRecord {
  return new tuple2Type.create(new ContractId(id), argument)
}

/** `check` runs between the maintainers, which may throw, and the key, which may be refused. */
function keyFor(
  { code, rules, textOf }: Running,
  template: TemplateCode,
  value: LfValue,
  check?: () => void,
): ContractKey {
  const maintainers = uncatchable(() => maintainersOf(template, value), code)
  check?.()
  const key = keyWith(template, value, maintainers, rules)
  if (maintainers.length === 0) throw fetchWithoutMaintainers(template, key, textOf)
  return key
}
