// Copies of a part of the model, to return to when the node returns to a snapshot. Objects stay the same; what they hold
// is replaced.

type Holder = Map<unknown, unknown> | Set<unknown> | unknown[] | object

/** What refers to the same object still does in the copy. */
export function copyOf<T extends object>(parts: T): T {
  return structuredClone(parts)
}

/** Fills the maps, sets, lists and objects one and two levels below with those of the copy. */
export function putBack<T extends object>(parts: T, copy: T): void {
  for (const [name, part] of Object.entries(parts)) {
    const from = (copy as Record<string, Holder>)[name]!
    if (isPlain(part) && Object.values(part).some((value) => typeof value === 'object')) putBack(part, from)
    else fill(part as Holder, from)
  }
}

function fill(holder: Holder, from: Holder): void {
  if (holder instanceof Map) {
    holder.clear()
    for (const [key, value] of from as typeof holder) holder.set(key, value)
  } else if (holder instanceof Set) {
    holder.clear()
    for (const value of from as typeof holder) holder.add(value)
  } else if (Array.isArray(holder)) holder.splice(0, holder.length, ...(from as typeof holder))
  else Object.assign(holder, from)
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
