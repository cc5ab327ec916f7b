// A queue that is fair between clients. Next comes the client that has used the least so far of what is shared, such as
// time or bytes. A client that returns after a pause starts level with the others: it keeps its debt but gains no
// credit. Pure: the caller reports the usage.

export type FairQueue<Item> = {
  readonly size: number
  push(client: string, item: Item): void
  /** Puts it first among the items of its client, because it had its turn already. */
  unshift(client: string, item: Item): void
  /** The client whose turn is next, among those that may be served. */
  nextClient(mayServe?: (client: string) => boolean): string | undefined
  shift(mayServe?: (client: string) => boolean): Item | undefined
  /** The item that `shift` would take. */
  peek(): Item | undefined
  /** Takes the last item of the client that has the most of them, if that is more than `client` has. */
  popFromLargest(client: string): Item | undefined
  /** Everything, in no particular order. */
  drain(): Item[]
  /** All items, in order within each client. */
  [Symbol.iterator](): Iterator<Item>
}

/** How much each client has used; may be shared by several queues with the same clients. */
export type Usage = {
  of(client: string): number
  charge(client: string, amount: number): void
  /** Notes that this client is served next: new clients start at its level. */
  serve(client: string): void
}

/** Clients whose usage is remembered. Those with the least are forgotten first, because everyone starts there. */
const clientsMax = 1_000

export function createUsage(): Usage {
  const used = new Map<string, number>()
  /** The usage of the client served last, before it was served. Never decreases. */
  let floor = 0
  const of = (client: string) => Math.max(used.get(client) ?? floor, floor)

  /** Drops half of them at a time, so that the cost per charge stays low. */
  function forgetSome(): void {
    const ascending = [...used].sort(([, a], [, b]) => a - b)
    for (const [client] of ascending.slice(0, ascending.length / 2)) used.delete(client)
  }

  return {
    of,
    charge(client, amount) {
      used.set(client, of(client) + amount)
      if (used.size > clientsMax) forgetSome()
    },
    serve(client) {
      floor = of(client)
    },
  }
}

export function createFairQueue<Item>(usage: Usage): FairQueue<Item> {
  const byClient = new Map<string, Item[]>()
  let size = 0

  function itemsOf(client: string): Item[] {
    let items = byClient.get(client)
    if (items === undefined) {
      items = []
      byClient.set(client, items)
    }
    return items
  }

  function nextClient(mayServe?: (client: string) => boolean): string | undefined {
    if (byClient.size <= 1 && mayServe === undefined) return byClient.keys().next().value
    let [best, least]: [string | undefined, number] = [undefined, Infinity]
    for (const client of byClient.keys()) {
      const used = usage.of(client)
      if (used < least && mayServe?.(client) !== false) [best, least] = [client, used]
    }
    return best
  }

  function take(client: string, from: 'first' | 'last'): Item | undefined {
    const items = byClient.get(client)
    if (items === undefined) return undefined
    const item = from === 'first' ? items.shift() : items.pop()
    if (items.length === 0) byClient.delete(client)
    size -= 1
    return item
  }

  return {
    get size() {
      return size
    },
    push(client, item) {
      itemsOf(client).push(item)
      size += 1
    },
    unshift(client, item) {
      itemsOf(client).unshift(item)
      size += 1
    },
    nextClient,
    shift(mayServe) {
      const client = nextClient(mayServe)
      if (client === undefined) return undefined
      usage.serve(client)
      return take(client, 'first')
    },
    peek() {
      const client = nextClient()
      return client === undefined ? undefined : byClient.get(client)![0]
    },
    popFromLargest(client) {
      let [largest, most]: [string | undefined, number] = [undefined, byClient.get(client)?.length ?? 0]
      for (const [other, { length }] of byClient) {
        if (length > most + 1) [largest, most] = [other, length - 1]
      }
      return largest === undefined ? undefined : take(largest, 'last')
    },
    drain() {
      const all = [...byClient.values()].flat()
      byClient.clear()
      size = 0
      return all
    },
    *[Symbol.iterator]() {
      for (const items of byClient.values()) yield* items
    },
  }
}
