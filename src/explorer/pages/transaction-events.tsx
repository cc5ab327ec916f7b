// A transaction as a tree. One of thousands of events begins folded, with counts, and can be searched.
import { useMemo } from 'preact/hooks'
import {
  type Counts,
  countsBelow,
  type EventGroup,
  type EventNode,
  eventOf,
  found,
  grouped,
  lettersOf,
  treeOf,
} from '../api/transaction-tree.ts'
import type { CreatedEvent, ExercisedEvent, LedgerEvent, Transaction } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { Facts } from '../parts/facts.tsx'
import { ContractLink, Parties, Template, templateName, Witnesses } from '../parts/names.tsx'
import { counted } from '../parts/quantities.ts'
import { Tree, type TreeNode } from '../parts/tree.tsx'
import { ChoiceValue, ContractFields } from '../parts/typed.tsx'
import { query, setQuery } from '../state/location.ts'
import { TransactionChanges } from './transaction-changes.tsx'

/** Of so many events, with so many letters, all details are shown at once. */
const openMax = 40
const openLettersMax = 60_000
/** With fewer there is nothing to search. */
const findMin = 10

export function TransactionEvents({ transaction }: { readonly transaction: Transaction }) {
  const { events } = transaction
  const text = query.value.get('find') ?? ''
  const tree = useMemo(() => treeOf(events), [transaction])
  const { nodes, count } = useMemo(
    () => (text.trim() === '' ? { nodes: tree, count: events.length } : found(tree, text)),
    [tree, text],
  )
  const isOpen = count <= openMax && (events.length > openMax || lettersOf(events) <= openLettersMax)
  const shown = useMemo(() => linesOf(nodes, { isOpen, isFound: nodes !== tree }), [nodes])
  return (
    <>
      <section class="panel" aria-label="Events">
        <div class="panel-head">
          <h2>What happened</h2>
          {events.length >= findMin && (
            <div class="find-in">
              <span class="faint" role="status">
                {nodes === tree ? counted(count, 'event') : `${counted(count, 'event')} of ${events.length}`}
              </span>
              <input
                type="search"
                aria-label="Find in this update"
                placeholder="Find in this update"
                value={text}
                onInput={(event) => setQuery({ find: event.currentTarget.value })}
              />
            </div>
          )}
        </div>
        <div class="panel-body">
          {shown.length === 0 ? (
            <p class="faint">Nothing in this update contains “{text}”</p>
          ) : (
            <Tree key={text} label="Events of the transaction" nodes={shown} />
          )}
        </div>
      </section>
      <TransactionChanges transaction={transaction} />
    </>
  )
}

type TreeProps = { readonly transaction: Transaction; readonly label: string }

/** The tree alone, without a search. */
export function TransactionTree({ transaction, label }: TreeProps) {
  const { events } = transaction
  const isOpen = events.length <= openMax && lettersOf(events) <= openLettersMax
  const shown = useMemo(() => linesOf(treeOf(events), { isOpen, isFound: false }), [transaction])
  return <Tree label={label} nodes={shown} />
}

type Look = {
  /** Whether nodes begin with their details. */
  readonly isOpen: boolean
  /** Whether they are what somebody searched for: none is hidden in a group. */
  readonly isFound: boolean
}

function linesOf(nodes: readonly EventNode[], look: Look): TreeNode[] {
  const lines = look.isFound ? nodes : grouped(nodes)
  return lines.map((line) => ('alike' in line ? groupNode(line, look) : eventNode(line, look, lines.length === 1)))
}

function groupNode({ alike }: EventGroup, look: Look): TreeNode {
  const [first] = alike as [EventNode]
  const { templateId, packageName } = eventOf(first.event)
  const { verb, choice } = verbOf(first.event)
  return {
    key: `group ${first.nodeId}`,
    label: `${alike.length} times ${verb} ${templateName(templateId)} ${choice}`,
    isOpen: false,
    children: alike.map((node) => eventNode(node, look, false)),
    head: (
      <>
        <b>{alike.length.toLocaleString('en-GB')} ×</b>
        <Badge kind={verb}>{verb}</Badge>
        <Template id={templateId} packageName={packageName} />
        {choice !== '' && <b>{choice}</b>}
      </>
    ),
    folded: <Below counts={countsBelow(alike)} />,
  }
}

/** The only one of its level is open: there is nothing to choose. */
function eventNode(node: EventNode, look: Look, isOnly: boolean): TreeNode {
  const { event, nodeId, children } = node
  const { verb, choice } = verbOf(event)
  return {
    key: String(nodeId),
    label: `${verb} ${templateName(eventOf(event).templateId)} ${choice}`,
    isOpen: look.isOpen || isOnly || (look.isFound && children.length > 0),
    children: linesOf(children, look),
    head: <EventHead event={event} />,
    folded: 'CreatedEvent' in event ? <Fields event={event.CreatedEvent} /> : <Below counts={countsBelow([node])} />,
    body: <EventBody event={event} />,
  }
}

function verbOf(event: LedgerEvent): { readonly verb: 'create' | 'exercise' | 'archive'; readonly choice: string } {
  if ('ExercisedEvent' in event) return { verb: 'exercise', choice: event.ExercisedEvent.choice }
  return { verb: 'CreatedEvent' in event ? 'create' : 'archive', choice: '' }
}

function EventHead({ event }: { readonly event: LedgerEvent }) {
  const { verb, choice } = verbOf(event)
  const { templateId, packageName, contractId, witnessParties } = eventOf(event)
  return (
    <>
      <Badge kind={verb}>{verb}</Badge>
      <Template id={templateId} packageName={packageName} />
      {choice !== '' && <b>{choice}</b>}
      {'ExercisedEvent' in event && event.ExercisedEvent.consuming && <Badge kind="archive">archives</Badge>}
      <ContractLink id={contractId} />
      <Witnesses parties={witnessParties} />
    </>
  )
}

function Fields({ event }: { readonly event: CreatedEvent }) {
  return (
    <span class="faint-value">
      <ContractFields event={event} isInline />
    </span>
  )
}

/** What a folded node contains. */
function Below({ counts: { events, created, archived } }: { readonly counts: Counts }) {
  if (events === 0) return null
  return (
    <span class="faint counts">
      {counted(events, 'event')} inside{created > 0 && `, +${created}`}
      {archived > 0 && `, −${archived}`}
    </span>
  )
}

function EventBody({ event }: { readonly event: LedgerEvent }) {
  if ('ExercisedEvent' in event) return <Exercised event={event.ExercisedEvent} />
  return 'CreatedEvent' in event ? <Created event={event.CreatedEvent} /> : null
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
