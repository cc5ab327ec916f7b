// A map whose values are made when they are first asked for.

export class LateMap<Place, T> implements ReadonlyMap<string, T> {
  readonly #places: ReadonlyMap<string, Place>
  readonly #read: (place: Place) => T
  readonly #known = new Map<string, T>()

  constructor(places: ReadonlyMap<string, Place>, read: (place: Place) => T) {
    this.#places = places
    this.#read = read
  }

  get size(): number {
    return this.#places.size
  }

  has(name: string): boolean {
    return this.#places.has(name)
  }

  get(name: string): T | undefined {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const place = this.#places.get(name)
    if (place === undefined) return undefined
    const value = this.#read(place)
    this.#known.set(name, value)
    return value
  }

  keys(): MapIterator<string> {
    return this.#places.keys()
  }

  *values(): MapIterator<T> {
    for (const name of this.#places.keys()) yield this.get(name)!
  }

  *entries(): MapIterator<[string, T]> {
    for (const name of this.#places.keys()) yield [name, this.get(name)!]
  }

  [Symbol.iterator](): MapIterator<[string, T]> {
    return this.entries()
  }

  forEach(use: (value: T, name: string, map: ReadonlyMap<string, T>) => void): void {
    for (const [name, value] of this) use(value, name, this)
  }
}
