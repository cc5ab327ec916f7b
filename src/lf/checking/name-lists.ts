// Numbers for lists of names: the same for equal lists.

type Node = { readonly next: Map<string, Node>; number: number | undefined }

export function createNameLists(): (names: readonly string[]) => number {
  const root: Node = { next: new Map(), number: undefined }
  let count = 0
  return (names) => {
    let node = root
    for (const name of names) {
      let next = node.next.get(name)
      if (next === undefined) {
        next = { next: new Map(), number: undefined }
        node.next.set(name, next)
      }
      node = next
    }
    node.number ??= count++
    return node.number
  }
}
