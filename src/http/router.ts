// Finds the route of a request in a tree of path segments. Paths are few and fixed, so that is enough.
import { DecodeError } from '../api/wire/decode.ts'

export type Params = Readonly<Record<string, string>>

export type Router<Handler> = {
  /**
   * Segments in braces are parameters: `/v2/users/{user-id}`; the last one may stand for several, which are not decoded:
   * `/explorer/{path*}`. A handler for GET also answers HEAD.
   */
  add(method: string, path: string, handler: Handler): void
  /** Undefined if no route has this method and path. Throws a DecodeError for a path that cannot be decoded. */
  find(method: string, path: string): { readonly handler: Handler; readonly params: Params } | undefined
  /** The methods of a path, empty for an unknown one; for `*`, the methods of all paths. */
  methods(path: string): ReadonlySet<string>
}

type Entry<Handler> = { readonly handler: Handler; readonly names: readonly string[] }

type Node<Handler> = {
  readonly children: Map<string, Node<Handler>>
  param: Node<Handler> | undefined
  /** For all that follows. */
  rest: Node<Handler> | undefined
  readonly entries: Map<string, Entry<Handler>>
}

type Found<Handler> = { readonly node: Node<Handler>; readonly values: readonly string[] }

const noParams: Params = {}
const braces = /^\{(.+)\}$/

export function createRouter<Handler>(): Router<Handler> {
  const root = newNode<Handler>()
  const allMethods = new Set<string>()

  return {
    add(method, path, handler) {
      const names: string[] = []
      let node = root
      for (const segment of path.split('/').slice(1)) {
        const name = braces.exec(segment)?.[1]
        if (name === undefined) {
          const child = node.children.get(segment) ?? newNode<Handler>()
          node.children.set(segment, child)
          node = child
        } else {
          const isRest = name.endsWith('*')
          names.push(isRest ? name.slice(0, -1) : name)
          if (isRest) node = node.rest ??= newNode<Handler>()
          else node = node.param ??= newNode<Handler>()
        }
      }
      node.entries.set(method, { handler, names })
      allMethods.add(method)
    },

    find(method, path) {
      const asked = method === 'HEAD' ? 'GET' : method
      for (const { node, values } of nodesAt(root, path)) {
        const entry = node.entries.get(asked)
        if (entry === undefined) continue
        const { handler, names } = entry
        if (names.length === 0) return { handler, params: noParams }
        return { handler, params: Object.fromEntries(names.map((name, index) => [name, values[index]!])) }
      }
      return undefined
    },

    methods: (path) =>
      path === '*' ? allMethods : new Set(nodesAt(root, path).flatMap(({ node }) => [...node.entries.keys()])),
  }
}

function newNode<Handler>(): Node<Handler> {
  return { children: new Map(), param: undefined, rest: undefined, entries: new Map() }
}

/** What the path may mean: a fixed segment comes before a parameter, which may have other methods. */
function nodesAt<Handler>(root: Node<Handler>, path: string): readonly Found<Handler>[] {
  let found: Found<Handler>[] = [{ node: root, values: [] }]
  const rests: Found<Handler>[] = []
  let start = 1
  while (start <= path.length && found.length > 0) {
    const slash = path.indexOf('/', start)
    const end = slash < 0 ? path.length : slash
    const segment = decoded(path.slice(start, end))
    const next: Found<Handler>[] = []
    for (const { node, values } of found) {
      const child = node.children.get(segment)
      if (node.rest !== undefined) rests.push({ node: node.rest, values: [...values, path.slice(start)] })
      if (child !== undefined) next.push({ node: child, values })
      if (node.param !== undefined && segment !== '') next.push({ node: node.param, values: [...values, segment] })
    }
    found = next
    start = end + 1
  }
  return rests.length === 0 ? found : [...found, ...rests]
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new DecodeError('The path is not valid: a % must be followed by two hexadecimal digits of UTF-8')
  }
}
