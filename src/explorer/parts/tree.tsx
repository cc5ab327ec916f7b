// A tree of nodes that open and close, each with its content and its children: transactions, module trees, exceptions.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

export type TreeNode = {
  readonly key: string
  /** One line. */
  readonly head: ComponentChildren
  /** What the line means to readers who do not see the page. */
  readonly label: string
  /** Shown when the node is open. */
  readonly body?: ComponentChildren
  readonly children: readonly TreeNode[]
  readonly isOpen?: boolean
  readonly class?: string
}

export function Tree({ nodes, label }: { readonly nodes: readonly TreeNode[]; readonly label: string }) {
  return (
    <ul class="tree" aria-label={label}>
      {nodes.map((node) => (
        <Branch key={node.key} node={node} />
      ))}
    </ul>
  )
}

function Branch({ node }: { readonly node: TreeNode }) {
  const isOpen = useSignal(node.isOpen ?? true)
  return (
    <li class={`branch ${node.class ?? ''}`}>
      <div class="branch-head">
        <button
          type="button"
          class="twist"
          aria-expanded={isOpen.value}
          aria-label={`Details of ${node.label}`}
          disabled={node.body === undefined}
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          <Icon name="chevron" />
        </button>
        <div class="branch-line">{node.head}</div>
      </div>
      {isOpen.value && node.body && <div class="branch-body">{node.body}</div>}
      {node.children.length > 0 && (
        <ul class="branches">
          {node.children.map((child) => (
            <Branch key={child.key} node={child} />
          ))}
        </ul>
      )}
    </li>
  )
}
