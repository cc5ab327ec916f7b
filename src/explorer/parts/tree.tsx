// A tree of nodes that open and close, each with its content and its children: transactions, refusals, dry runs. It is a
// flat list of the nodes that are visible, so that a tree of thousands is as light as one of ten.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import { isForRow } from './link.tsx'
import { type RowProps, VirtualRows } from './virtual-rows.tsx'

export type TreeNode = {
  readonly key: string
  /** One line. */
  readonly head: ComponentChildren
  /** What the line means to readers who do not see the page. */
  readonly label: string
  /** At the end of the line as long as the node is closed: what it contains, in short. */
  readonly folded?: ComponentChildren
  /** Shown when the node is open. */
  readonly body?: ComponentChildren
  /** Visible when the node is open. */
  readonly children: readonly TreeNode[]
  /** At first; open unless it says otherwise. */
  readonly isOpen?: boolean
}

type Line = { readonly node: TreeNode; readonly depth: number; readonly isOpen: boolean }

const lineHeight = 30
/** Deeper nodes are indented no more. */
const guidesMax = 16

export function Tree({ nodes, label }: { readonly nodes: readonly TreeNode[]; readonly label: string }) {
  /** Those that are not as they were at first. */
  const turned = useSignal<ReadonlySet<string>>(new Set())
  const lines: Line[] = []
  function add(of: readonly TreeNode[], depth: number): void {
    for (const node of of) {
      const isOpen = (node.isOpen ?? true) !== turned.value.has(node.key)
      lines.push({ node, depth, isOpen })
      if (isOpen) add(node.children, depth + 1)
    }
  }
  add(nodes, 0)

  const turn = ({ key }: TreeNode) => {
    turned.value = turned.peek().symmetricDifference(new Set([key]))
  }
  return (
    <VirtualRows
      label={label}
      class="tree"
      rows={lines}
      keyOf={({ node }) => node.key}
      rowHeight={lineHeight}
      show={(line, props) => <Branch key={line.node.key} line={line} props={props} onTurn={() => turn(line.node)} />}
    />
  )
}

type BranchProps = { readonly line: Line; readonly props: RowProps; readonly onTurn: () => void }

function Branch({ line, props, onTurn }: BranchProps) {
  const { node, depth, isOpen } = line
  const isLeaf = node.body === undefined && node.children.length === 0
  const guides = Math.min(depth, guidesMax)
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: ARIA 1.2 has levels of list items.
    <li class="branch" data-row aria-level={depth + 1} {...props}>
      {Array.from({ length: guides }, (_, index) => (
        <span key={index} class="guide" aria-hidden="true" />
      ))}
      <div class="branch-content">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same for keyboards. */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button inside does the same for keyboards. */}
        <div
          class={isLeaf ? 'branch-head' : 'branch-head turns'}
          onClick={(event) => {
            if (!isLeaf && isForRow(event)) onTurn()
          }}
        >
          <button
            type="button"
            class="twist"
            aria-expanded={isOpen}
            aria-label={`Details of ${node.label}`}
            disabled={isLeaf}
            onClick={onTurn}
          >
            <Icon name="chevron" />
          </button>
          <div class="branch-line">
            {node.head}
            {!isOpen && node.folded}
          </div>
        </div>
        {isOpen && node.body && <div class="branch-body">{node.body}</div>}
      </div>
    </li>
  )
}
