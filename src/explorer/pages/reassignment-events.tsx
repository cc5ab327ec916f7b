// A reassignment: contracts that leave one synchronizer or arrive at another.
import type { CreatedEvent, Reassignment } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { Facts } from '../parts/facts.tsx'
import { ContractLink, Party, Synchronizer, shortId, Template, Witnesses } from '../parts/names.tsx'
import { Tree, type TreeNode } from '../parts/tree.tsx'
import { ContractFields } from '../parts/typed.tsx'

type Move = {
  readonly source: string
  readonly target: string
  readonly reassignmentId: string
  readonly submitter: string
  readonly reassignmentCounter: number
}

type Subject = Pick<CreatedEvent, 'contractId' | 'templateId' | 'packageName' | 'witnessParties'>

export function ReassignmentEvents({ reassignment }: { readonly reassignment: Reassignment }) {
  return (
    <section class="panel" aria-label="Events">
      <h2>What moved</h2>
      <div class="panel-body">
        <ReassignmentTree reassignment={reassignment} label="Events of the reassignment" />
      </div>
    </section>
  )
}

type TreeProps = { readonly reassignment: Reassignment; readonly label: string }

export function ReassignmentTree({ reassignment, label }: TreeProps) {
  return <Tree label={label} nodes={reassignment.events.map(nodeOf)} />
}

function nodeOf(event: Reassignment['events'][number], index: number): TreeNode {
  if ('JsUnassignedEvent' in event) {
    const { value } = event.JsUnassignedEvent
    return moveNode('unassign', value, value, index)
  }
  const { createdEvent, ...move } = event.JsAssignmentEvent
  return moveNode('assign', move, createdEvent, index, createdEvent)
}

function moveNode(
  verb: 'assign' | 'unassign',
  move: Move,
  of: Subject,
  index: number,
  created?: CreatedEvent,
): TreeNode {
  return {
    key: String(index),
    label: `${verb} ${of.contractId.slice(0, 12)}`,
    children: [],
    head: (
      <>
        <Badge kind="move">{verb}</Badge>
        <Template id={of.templateId} packageName={of.packageName} />
        <ContractLink id={of.contractId} />
        <span>
          <Synchronizer id={move.source} /> → <Synchronizer id={move.target} />
        </span>
        <Witnesses parties={of.witnessParties} />
      </>
    ),
    body: (
      <>
        {created && <ContractFields event={created} />}
        <Facts
          facts={[
            [
              'Reassignment',
              <span key="id" class="mono" title={move.reassignmentId}>
                {shortId(move.reassignmentId)}
              </span>,
            ],
            ['Counter', move.reassignmentCounter],
            move.submitter !== '' && ['Submitter', <Party key="party" id={move.submitter} />],
          ]}
        />
      </>
    ),
  }
}
