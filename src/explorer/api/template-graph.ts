// Which choices of which templates create contracts of which others: the nodes and edges of a picture.
import type { PackageTypes } from '../../codegen/type-description.ts'

export type GraphNode = { readonly id: string; readonly kind: 'template' | 'interface'; readonly isOwn: boolean }
export type GraphEdge = {
  readonly from: string
  readonly to: string
  /** The choices that lead there. */
  readonly choices: readonly string[]
  readonly kind: 'creates' | 'exercises' | 'implements'
}
export type TemplateGraph = { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] }

export function templateGraph({ templates, interfaces, packageId }: PackageTypes): TemplateGraph {
  const interfaceIds = new Set(interfaces.map(({ id }) => id))
  const nodes = new Map<string, GraphNode>()
  const edges = new Map<string, { from: string; to: string; choices: Set<string>; kind: GraphEdge['kind'] }>()

  function mention(id: string): void {
    const kind = interfaceIds.has(id) ? 'interface' : 'template'
    nodes.set(id, { id, kind, isOwn: id.startsWith(`${packageId}:`) })
  }

  function connect(from: string, to: string, kind: GraphEdge['kind'], choice?: string): void {
    mention(to)
    const key = `${kind} ${from} ${to}`
    const edge = edges.get(key) ?? { from, to, kind, choices: new Set<string>() }
    if (choice !== undefined) edge.choices.add(choice)
    edges.set(key, edge)
  }

  for (const { id, choices, implements: implemented } of templates) {
    mention(id)
    for (const { name, creates, exercises } of choices) {
      for (const created of creates) connect(id, created, 'creates', name)
      for (const target of exercises) connect(id, target.id, 'exercises', name)
    }
    for (const of of implemented) connect(id, of, 'implements')
  }
  for (const { id, choices } of interfaces) {
    if (!nodes.has(id)) continue
    for (const { name, creates } of choices) for (const created of creates) connect(id, created, 'creates', name)
  }
  return {
    nodes: [...nodes.values()],
    edges: [...edges.values()].map(({ choices, ...edge }) => ({ ...edge, choices: [...choices] })),
  }
}
