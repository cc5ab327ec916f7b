// The effect that creates a contract.
import { asRecordOf } from '../../lf/values/kinds.ts'
import { ContractId, type LfRecord } from '../../lf/values/values.ts'
import type { TemplateCode } from '../code/code.ts'
import { steps } from '../failures/steps.ts'
import { authorizeCreate } from './authority.ts'
import { argumentOf, describeContract } from './contracts.ts'
import { createWithoutMaintainers } from './effect-failures.ts'
import { type Create, type NodeTree, unnumbered } from './nodes.ts'
import { addAction, nodeSteps, type Running } from './running-transaction.ts'
import { nextSeed } from './scopes.ts'
import { localContractId } from './seeds.ts'

export function create(running: Running, template: TemplateCode, argument: LfRecord): ContractId {
  steps.charge(nodeSteps)
  const contract = describeContract(template, asRecordOf(template.type, argument), running.rules)
  const { key, signatories, stakeholders } = contract
  const typed = argumentOf(contract)
  if (key !== undefined && key.maintainers.length === 0) {
    throw createWithoutMaintainers(template, typed, key, running.textOf)
  }
  const seed = nextSeed(running.scope)
  const id = localContractId(seed.bytes, running.preparationTime, stakeholders)
  running.checkValue(argument, typed.type)
  const node: Create & NodeTree = {
    kind: 'create',
    contractId: id,
    packageName: template.package.name,
    templateId: template.id,
    argument: typed,
    signatories,
    stakeholders,
    key,
    seed,
    id: unnumbered,
    lastDescendantId: unnumbered,
  }
  authorizeCreate(running.nextNode, node, running.scope.authority)
  running.nextNode += 1
  running.state.create(node, contract)
  addAction(running, node)
  return new ContractId(id)
}
