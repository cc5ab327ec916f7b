// A picture of a package: templates and interfaces, and the choices that lead from one to another. The list of templates
// says the same in words.
import { graphlib, layout } from '@dagrejs/dagre'
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { type GraphEdge, type TemplateGraph, templateGraph } from '../api/template-graph.ts'
import { CheckField } from '../parts/fields.tsx'
import { ZoomFrame } from '../parts/zoom-frame.tsx'
import { type PackageTypes, partsOf } from '../state/packages.ts'

const size = { height: 34, perLetter: 7.6, padding: 24 }
const labelLetters = 26

type Placed = {
  readonly width: number
  readonly height: number
  readonly nodes: readonly { readonly id: string; readonly look: string; readonly box: Box }[]
  readonly edges: readonly {
    readonly edge: GraphEdge
    readonly path: string
    readonly at: { readonly x: number; readonly y: number }
  }[]
}
type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

export function PackageGraph({ types }: { readonly types: PackageTypes }) {
  const withExercises = useSignal(false)
  const isWith = withExercises.value
  const { width, height, nodes, edges } = useMemo(() => pictureOf(types, isWith), [types, isWith])
  const labelled = edges.filter(({ edge }) => edge.choices.length > 0)
  return (
    <section class="panel" aria-label="Graph">
      <div class="panel-head">
        <p class="faint">
          An arrow leads from a template to what its choices create; a dashed one to what it implements
        </p>
        <CheckField
          label="Also what choices exercise"
          isChecked={isWith}
          onChange={(next) => {
            withExercises.value = next
          }}
        />
      </div>
      <ZoomFrame title={`Templates of ${types.name} and what their choices create`} picture={{ width, height }}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {edges.map(({ edge, path }) => (
          <g key={`${edge.kind} ${edge.from} ${edge.to}`} class={`graph-edge ${edge.kind}`}>
            <path d={path} marker-end="url(#arrow)" />
          </g>
        ))}
        {/* Above all lines: some cross the labels of others. */}
        {labelled.map(({ edge, at }) => (
          <g key={`${edge.kind} ${edge.from} ${edge.to}`} class="graph-edge">
            <rect x={at.x - labelWidth(edge) / 2} y={at.y - 11} width={labelWidth(edge)} height="15" />
            <text x={at.x} y={at.y}>
              <title>{edge.choices.join(', ')}</title>
              {labelOf(edge)}
            </text>
          </g>
        ))}
        {nodes.map(({ id, look, box }) => (
          <g key={id} class={look}>
            <rect x={box.x - box.width / 2} y={box.y - box.height / 2} width={box.width} height={box.height} rx="6" />
            <text x={box.x} y={box.y + 5}>
              <title>{id}</title>
              {partsOf(id).name}
            </text>
          </g>
        ))}
      </ZoomFrame>
    </section>
  )
}

function pictureOf(types: PackageTypes, withExercises: boolean): Placed {
  const whole = templateGraph(types)
  const edges = whole.edges.filter(({ kind }) => withExercises || kind !== 'exercises')
  const used = new Set(edges.flatMap(({ from, to }) => [from, to]))
  return place({ nodes: whole.nodes.filter(({ id, isOwn }) => isOwn || used.has(id)), edges })
}

function labelOf({ choices }: GraphEdge): string {
  const [first = '', ...others] = choices
  const name = first.length > labelLetters ? `${first.slice(0, labelLetters)}…` : first
  return others.length === 0 ? name : `${name} +${others.length}`
}

const labelWidth = (edge: GraphEdge): number => labelOf(edge).length * size.perLetter * 0.85

function place({ nodes, edges }: TemplateGraph): Placed {
  const graph = new graphlib.Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 28, ranksep: 60, edgesep: 18, marginx: 16, marginy: 16 })
  for (const { id } of nodes) {
    const width = partsOf(id).name.length * size.perLetter + size.padding
    graph.setNode(id, { width, height: size.height })
  }
  for (const edge of edges) {
    graph.setEdge(edge.from, edge.to, { width: labelWidth(edge), height: 16, labelpos: 'c' }, edge.kind)
  }
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: nodes.map(({ id, kind, isOwn }) => ({
      id,
      box: graph.node(id) as Box,
      look: `graph-node ${kind}${isOwn ? '' : ' foreign'}`,
    })),
    edges: edges.map((edge) => {
      if (edge.from === edge.to) return { edge, ...loopAt(graph.node(edge.from) as Box) }
      const { points, ...label } = graph.edge(edge.from, edge.to, edge.kind) as unknown as EdgePlace
      const { x, y } = { ...points[points.length >> 1]!, ...label } // Without a label there is no place for it.
      return { edge, path: curveThrough(points), at: { x, y: y + 4 } }
    }),
  }
}

/** Below its box, where the layout has left room for the label. */
function loopAt({ x, y, height }: Box): { readonly path: string; readonly at: Point } {
  const bottom = y + height / 2
  const path = `M${x - 12} ${bottom} C${x - 34} ${bottom + 26} ${x + 34} ${bottom + 26} ${x + 12} ${bottom + 1}`
  return { path, at: { x, y: bottom + 32 } }
}

type Point = { readonly x: number; readonly y: number }
type EdgePlace = { readonly points: readonly Point[] } & Partial<Point>

/** Smooth: the middle of each two points is passed, the points themselves pull. */
function curveThrough(points: readonly Point[]): string {
  const [first, ...rest] = points as [Point, ...Point[]]
  const last = rest.pop() ?? first
  const middles = rest.map((point, index) => {
    const next = rest[index + 1] ?? last
    return `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`
  })
  return `M${first.x} ${first.y} ${middles.join(' ')} L${last.x} ${last.y}`
}
