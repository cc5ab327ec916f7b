// The format of SQLite's write-ahead log (https://www.sqlite.org/fileformat2.html#walformat), as far as needed to tell
// whether a file holds the frames written to it. Each frame's checksum continues that of the previous frame.

export type WalFrame = {
  readonly start: number
  readonly page: number
  /** Whether it completes a transaction. */
  readonly isCommit: boolean
}

export type Wal = {
  readonly pageBytes: number
  /** The frames before the first invalid one: what SQLite would use after a crash, up to the last commit. */
  readonly frames: readonly WalFrame[]
}

export const walHeaderBytes = 32
export const walFrameHeaderBytes = 24
const magic = 0x377f0682

/** Undefined if there is no valid header. */
export function readWal(bytes: Uint8Array): Wal | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < walHeaderBytes || (view.getUint32(0) & ~1) >>> 0 !== magic) return undefined
  const isLittle = view.getUint32(0) % 2 === 0
  const pageBytes = view.getUint32(8)
  let sum = checksum(view, 0, 24, isLittle, [0, 0])
  if (!isSum(view, 24, sum)) return undefined
  const salt = view.getBigUint64(16)
  const frames: WalFrame[] = []
  const frameBytes = walFrameHeaderBytes + pageBytes
  for (let start = walHeaderBytes; start + frameBytes <= bytes.length; start += frameBytes) {
    if (view.getBigUint64(start + 8) !== salt) break
    sum = checksum(view, start, 8, isLittle, sum)
    sum = checksum(view, start + walFrameHeaderBytes, pageBytes, isLittle, sum)
    if (!isSum(view, start + 16, sum)) break
    frames.push({ start, page: view.getUint32(start), isCommit: view.getUint32(start + 4) !== 0 })
  }
  return { pageBytes, frames }
}

type Sum = readonly [number, number]

function checksum(view: DataView, from: number, length: number, isLittle: boolean, [first, second]: Sum): Sum {
  let a = first
  let b = second
  for (let at = from; at < from + length; at += 8) {
    a = (a + view.getUint32(at, isLittle) + b) >>> 0
    b = (b + view.getUint32(at + 4, isLittle) + a) >>> 0
  }
  return [a, b]
}

function isSum(view: DataView, at: number, [a, b]: Sum): boolean {
  return view.getUint32(at) === a && view.getUint32(at + 4) === b
}
