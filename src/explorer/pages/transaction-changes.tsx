// What a transaction changed: the contracts that it archived and those that it left. Many of one template are folded.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { changesOf } from '../api/transaction-tree.ts'
import type { CreatedEvent, Transaction } from '../api/wire.ts'
import { Icon } from '../parts/icon.tsx'
import { ContractLink, Template, templateName } from '../parts/names.tsx'
import { counted } from '../parts/quantities.ts'
import { Tree, type TreeNode } from '../parts/tree.tsx'
import { ContractFields } from '../parts/typed.tsx'
import { KnownContract } from './known-contract.tsx'

type Contract = Pick<CreatedEvent, 'contractId' | 'templateId' | 'packageName'>

export function TransactionChanges({ transaction }: { readonly transaction: Transaction }) {
  const { created, archived, passing } = useMemo(() => changesOf(transaction.events), [transaction])
  if (created.length === 0 && archived.length === 0) return null
  return (
    <section class="panel" aria-label="Active contracts before and after">
      <h2>Active contracts</h2>
      <div class="panel-body before-after">
        <div>
          <h3>No longer active</h3>
          <Contracts
            look="gone"
            contracts={archived}
            fieldsOf={({ contractId }) => <KnownContract contractId={contractId} />}
          />
        </div>
        <div>
          <h3>Newly active</h3>
          <Contracts look="new" contracts={created} fieldsOf={(event) => <ContractFields event={event} isInline />} />
        </div>
      </div>
      {passing > 0 && (
        <p class="panel-foot faint">
          {passing === 1 ? 'One more contract was' : `${passing.toLocaleString('en-GB')} more contracts were`} created
          and archived within the transaction.
        </p>
      )}
    </section>
  )
}

/** More are folded by template. The fields of an archived contract are a read of their own. */
const listedMax = 12

type ContractsProps<T extends Contract> = {
  readonly look: 'gone' | 'new'
  readonly contracts: readonly T[]
  readonly fieldsOf: (contract: T) => ComponentChildren
}

function Contracts<T extends Contract>({ look, contracts, fieldsOf }: ContractsProps<T>) {
  if (contracts.length === 0) return <p class="faint">Nothing</p>
  if (contracts.length > listedMax) {
    const groups = Map.groupBy(contracts, ({ templateId }) => templateId)
    return <Tree label={look} nodes={[...groups.values()].map((group) => groupNode(group, fieldsOf))} />
  }
  return (
    <ul>
      {contracts.map((contract) => (
        <li key={contract.contractId} class={`change ${look}`}>
          <Icon name={look === 'gone' ? 'minus' : 'plus'} />
          <div>
            <Template id={contract.templateId} packageName={contract.packageName} />{' '}
            <ContractLink id={contract.contractId} />
            <div class="faint-value">{fieldsOf(contract)}</div>
          </div>
        </li>
      ))}
    </ul>
  )
}

function groupNode<T extends Contract>(
  contracts: readonly T[],
  fieldsOf: (contract: T) => ComponentChildren,
): TreeNode {
  const { templateId, packageName } = contracts[0]!
  return {
    key: templateId,
    label: `${counted(contracts.length, 'contract')} of ${templateName(templateId)}`,
    isOpen: false,
    head: (
      <>
        <b>{contracts.length.toLocaleString('en-GB')} ×</b>
        <Template id={templateId} packageName={packageName} />
      </>
    ),
    children: contracts.map((contract) => ({
      key: contract.contractId,
      label: `contract ${contract.contractId.slice(0, 12)}`,
      isOpen: false,
      head: <ContractLink id={contract.contractId} />,
      body: fieldsOf(contract),
      children: [],
    })),
  }
}
