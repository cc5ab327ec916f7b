// A transaction as a tree, and what it changed: the contracts that it archived and those that it left.
import { changesOf, type EventNode, eventOf, treeOf } from '../api/transaction-tree.ts'
import type { CreatedEvent, ExercisedEvent, Transaction } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { Facts } from '../parts/facts.tsx'
import { Icon } from '../parts/icon.tsx'
import { ContractLink, Parties, Template, templateName } from '../parts/names.tsx'
import { Tree, type TreeNode } from '../parts/tree.tsx'
import { ChoiceValue, ContractFields } from '../parts/typed.tsx'
import { Witnesses } from '../parts/witnesses.tsx'
import { KnownContract } from './known-contract.tsx'

export function TransactionEvents({ transaction }: { readonly transaction: Transaction }) {
  return (
    <>
      <section class="panel" aria-label="Events">
        <h2>What happened</h2>
        <div class="panel-body">
          <Tree label="Events of the transaction" nodes={treeOf(transaction.events).map(nodeOf)} />
        </div>
      </section>
      <Changes transaction={transaction} />
    </>
  )
}

function nodeOf({ event, nodeId, children }: EventNode): TreeNode {
  const { templateId, packageName, contractId, witnessParties } = eventOf(event)
  const exercised = 'ExercisedEvent' in event ? event.ExercisedEvent : undefined
  const created = 'CreatedEvent' in event ? event.CreatedEvent : undefined
  const verb = exercised ? 'exercise' : created ? 'create' : 'archive'
  return {
    key: String(nodeId),
    label: `${verb} ${templateName(templateId)} ${exercised?.choice ?? ''}`,
    children: children.map(nodeOf),
    head: (
      <>
        <Badge kind={verb}>{verb}</Badge>
        <Template id={templateId} packageName={packageName} />
        {exercised && <b>{exercised.choice}</b>}
        {exercised?.consuming && <Badge kind="archive">archives</Badge>}
        <ContractLink id={contractId} />
        <Witnesses parties={witnessParties} />
      </>
    ),
    body: exercised ? <Exercised event={exercised} /> : created ? <Created event={created} /> : undefined,
  }
}

function Created({ event }: { readonly event: CreatedEvent }) {
  return (
    <>
      <ContractFields event={event} />
      <Facts
        facts={[
          ['Signatories', <Parties key="parties" ids={event.signatories} />],
          (event.observers ?? []).length > 0 && ['Observers', <Parties key="parties" ids={event.observers!} />],
        ]}
      />
    </>
  )
}

function Exercised({ event }: { readonly event: ExercisedEvent }) {
  const { interfaceId, choice, actingParties } = event
  const owner = interfaceId ?? event.templateId
  return (
    <Facts
      facts={[
        ['Argument', <ChoiceValue key="value" owner={owner} event={event} choice={choice} which="argument" />],
        ['Result', <ChoiceValue key="value" owner={owner} event={event} choice={choice} which="result" />],
        ['Acting', <Parties key="parties" ids={actingParties} />],
        interfaceId !== undefined && interfaceId !== null && ['Interface', <Template key="id" id={interfaceId} />],
      ]}
    />
  )
}

/** The fields of an archived contract are a read of their own. */
const knownMax = 12

function Changes({ transaction }: { readonly transaction: Transaction }) {
  const { created, archived, passing } = changesOf(transaction.events)
  if (created.length === 0 && archived.length === 0) return null
  return (
    <section class="panel" aria-label="Active contracts before and after">
      <h2>Active contracts</h2>
      <div class="panel-body before-after">
        <div>
          <h3>No longer active</h3>
          {archived.length === 0 && <p class="faint">Nothing</p>}
          <ul>
            {archived.map(({ contractId, templateId, packageName }, index) => (
              <li key={contractId} class="change gone">
                <Icon name="minus" />
                <div>
                  <Template id={templateId} packageName={packageName} /> <ContractLink id={contractId} />
                  {index < knownMax && (
                    <div class="faint-value">
                      <KnownContract contractId={contractId} />
                    </div>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </div>
        <div>
          <h3>Newly active</h3>
          {created.length === 0 && <p class="faint">Nothing</p>}
          <ul>
            {created.map((event) => (
              <li key={event.contractId} class="change new">
                <Icon name="plus" />
                <div>
                  <Template id={event.templateId} packageName={event.packageName} />{' '}
                  <ContractLink id={event.contractId} />
                  <div class="faint-value">
                    <ContractFields event={event} isInline />
                  </div>
                </div>
              </li>
            ))}
          </ul>
        </div>
      </div>
      {passing > 0 && (
        <p class="panel-foot faint">
          {passing === 1 ? 'One more contract was' : `${passing} more contracts were`} created and archived within the
          transaction.
        </p>
      )}
    </section>
  )
}
