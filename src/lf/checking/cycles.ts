// Cycles in a graph, found in the order of the reference (Graphs.scala), so that the same one of several is named.

/** What each vertex leads to, both in the order in which the reference walks them. */
export type Graph = ReadonlyMap<string, readonly string[]>

/** The vertices of the first cycle, the one that was entered first at the end. */
export function findCycle(graph: Graph): readonly string[] | undefined {
  const white = new Set(graph.keys())
  const black = new Set<string>()
  for (const next of graph.values()) for (const vertex of next) if (!white.has(vertex)) black.add(vertex)
  const isGray = (vertex: string): boolean => !white.has(vertex) && !black.has(vertex)

  for (const root of graph.keys()) {
    if (black.has(root)) continue
    white.delete(root)
    const path = [{ vertex: root, next: 0 }]
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const vertex = graph.get(at.vertex)![at.next]
      at.next += 1
      if (vertex === undefined) {
        black.add(at.vertex)
        path.pop()
      } else if (black.has(vertex)) continue
      else if (!white.has(vertex)) return cycleFrom(vertex, graph, isGray)
      else {
        white.delete(vertex)
        path.push({ vertex, next: 0 })
      }
    }
  }
  return undefined
}

function cycleFrom(start: string, graph: Graph, isGray: (vertex: string) => boolean): readonly string[] {
  const cycle: string[] = []
  let current: string | undefined = start
  do {
    cycle.unshift(current!)
    current = graph.get(current!)!.find(isGray)
  } while (current !== start && cycle.length <= graph.size)
  return cycle
}
