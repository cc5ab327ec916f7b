// Back-pressure: bounds the bytes that wait for a slow reader, and counts them on its account. A reader that takes nothing
// is cut off by the budget. What is sent is split into pieces, so that only what the reader is about to take is copied.
import type { Writable } from 'node:stream'
import type { ByteAccount } from '../../base/byte-budget.ts'

/** A reader that has not taken this much gets no more. */
const waitingBytesMax = 128 * 1024

/** What is on its way to one reader. */
export class Outflow {
  readonly #to: Writable
  readonly #signal: AbortSignal
  readonly #account: ByteAccount
  #waitingBytes = 0

  constructor(to: Writable, signal: AbortSignal, account: ByteAccount) {
    this.#to = to
    this.#signal = signal
    this.#account = account
  }

  get isOver(): boolean {
    return this.#signal.aborted || this.#to.destroyed
  }

  /** `write` is called with what is to be called once the bytes are taken. */
  write(bytes: number, write: (onTaken: () => void) => void): void {
    let isCounted = false
    write(() => {
      if (isCounted) this.#taken(bytes)
    })
    if (this.#to.writableLength === 0) return // Most readers are quick.
    isCounted = true
    this.#waitingBytes += bytes
    this.#account.hold(bytes)
    this.#account.sending(true)
  }

  #taken(bytes: number): void {
    this.#waitingBytes -= bytes
    this.#account.give(bytes)
    this.#account.sending(this.#waitingBytes > 0)
  }

  /** Undefined if there is room; otherwise settles when there is, or when the reader is gone. */
  room(): Promise<void> | undefined {
    const [to, signal] = [this.#to, this.#signal]
    if (to.writableLength < waitingBytesMax || this.isOver) return undefined
    return new Promise((resolve) => {
      const end = () => {
        to.off('drain', end).off('close', end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      to.on('drain', end).on('close', end)
      signal.addEventListener('abort', end)
    })
  }
}

export const pieceLength = 64 * 1024

/** Elements that are sent at once: about a piece, or a single longer one. */
export function* groupsOf(elements: readonly string[]): Generator<readonly string[]> {
  let from = 0
  let length = 0
  for (let index = 0; index < elements.length; index += 1) {
    const more = elements[index]!.length
    if (index > from && length + more > pieceLength) {
      yield elements.slice(from, index)
      from = index
      length = 0
    }
    length += more
  }
  if (from < elements.length) yield from === 0 ? elements : elements.slice(from)
}

/** No piece ends within a surrogate pair. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + pieceLength)
    if (to < text.length && isFirstHalf(text.charCodeAt(to - 1))) to += 1
    yield text.slice(from, to)
    from = to
  }
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}
