// What a submission would do, as a tree: nothing was recorded.
import type { DryRun, DryRunNode } from '../api/acting.ts'
import { Badge } from '../parts/badge.tsx'
import { Facts } from '../parts/facts.tsx'
import { Parties, Template, Time, templateName, UnrecordedContracts, Witnesses } from '../parts/names.tsx'
import { counted } from '../parts/quantities.ts'
import { Tree, type TreeNode } from '../parts/tree.tsx'
import { ChoiceValue, ContractFields } from '../parts/typed.tsx'

export function DryRunOutcome({ outcome }: { readonly outcome: DryRun }) {
  const { nodes, roots, synchronizerAlias, ledgerTime, traces, steps, microseconds } = outcome
  const byId = new Map(nodes.map((node) => [Object.values(node)[0]!.nodeId as number, node]))
  const created = new Set(nodes.flatMap((node) => ('Create' in node ? [node.Create.contractId] : [])))
  return (
    <div class="stack">
      <UnrecordedContracts.Provider value={created}>
        <Tree label="What would happen" nodes={roots.map((id) => treeNode(byId, id))} />
      </UnrecordedContracts.Provider>
      {traces.length > 0 && (
        <div>
          <h3>Traces</h3>
          <pre>{traces.join('\n')}</pre>
        </div>
      )}
      <Facts
        facts={[
          ['On', synchronizerAlias],
          ['At', <Time key="time" iso={ledgerTime} />],
          ['Cost', `${counted(steps, 'step')}, ${microseconds.toLocaleString('en-GB')} µs`],
        ]}
      />
    </div>
  )
}

function treeNode(byId: ReadonlyMap<number, DryRunNode>, id: number): TreeNode {
  const node = byId.get(id)!
  const children = (ids: readonly number[]) => ids.filter((one) => byId.has(one)).map((one) => treeNode(byId, one))
  const key = String(id)
  if ('Create' in node) {
    const event = node.Create
    return {
      key,
      label: `create ${templateName(event.templateId)}`,
      children: [],
      head: (
        <>
          <Badge kind="create">create</Badge>
          <Template id={event.templateId} packageName={event.packageName} />
          <Witnesses parties={event.witnesses} />
        </>
      ),
      body: (
        <>
          <ContractFields event={event} />
          <Facts facts={[['Signatories', <Parties key="parties" ids={event.signatories} />]]} />
        </>
      ),
    }
  }
  if ('Exercise' in node) {
    const event = node.Exercise
    const owner = event.interfaceId ?? event.templateId
    return {
      key,
      label: `exercise ${event.choice}`,
      children: children(event.children),
      head: (
        <>
          <Badge kind="exercise">exercise</Badge>
          <Template id={event.templateId} packageName={event.packageName} />
          <b>{event.choice}</b>
          {event.consuming && <Badge kind="archive">archives</Badge>}
          <Witnesses parties={event.witnesses} />
        </>
      ),
      body: (
        <Facts
          facts={[
            ['Authorised by', <Parties key="parties" ids={event.authorizers} />],
            ['Result', <ChoiceValue key="value" owner={owner} event={event} choice={event.choice} which="result" />],
          ]}
        />
      ),
    }
  }
  if ('Rollback' in node) {
    return {
      key,
      label: 'rolled back',
      head: <Badge kind="danger">rolled back</Badge>,
      children: children(node.Rollback.children),
    }
  }
  const { templateId, packageName } = 'Fetch' in node ? node.Fetch : node.QueryByKey
  const verb = 'Fetch' in node ? 'fetch' : 'look up'
  return {
    key,
    label: `${verb} ${templateName(templateId)}`,
    children: [],
    head: (
      <>
        <Badge>{verb}</Badge>
        <Template id={templateId} packageName={packageName} />
      </>
    ),
  }
}
