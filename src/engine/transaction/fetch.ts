// The effect that fetches a contract.
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { LfRecord } from '../../lf/values/values.ts'
import { steps } from '../failures/steps.ts'
import { authorizeFetch } from './authority.ts'
import type { Contract } from './contracts.ts'
import { unnumbered } from './nodes.ts'
import { addAction, nodeSteps, type Running } from './running-transaction.ts'

export type Fetching = {
  readonly id: string
  readonly contract: Contract
  readonly interfaceId: Identifier | undefined
  readonly isByKey: boolean
}

export function fetch(running: Running, { id, contract, interfaceId, isByKey }: Fetching): LfRecord {
  steps.charge(nodeSteps)
  const { template, signatories, stakeholders, key } = contract
  running.reader.use(id, contract)
  const actors = authorizeFetch(running.nextNode, template.id, stakeholders, running.scope.authority)
  running.nextNode += 1
  addAction(running, {
    kind: 'fetch',
    contractId: id,
    packageName: template.package.name,
    templateId: template.id,
    interfaceId,
    isByKey,
    actors,
    signatories,
    stakeholders,
    key,
    id: unnumbered,
    lastDescendantId: unnumbered,
  })
  return contract.argument
}
