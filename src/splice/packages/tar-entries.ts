// Reads a tar archive as a stream: the files that are wanted, one by one, without keeping the others. Only what release bundles
// have is understood: names of up to 255 bytes (ustar), and no links.

export type TarEntry = { readonly name: string; readonly content: Uint8Array }

type Header = { readonly name: string; readonly size: number; readonly isFile: boolean }

const blockBytes = 512

/** `wants` decides by name and size whether an entry is read or skipped. */
export async function* tarEntries(
  chunks: AsyncIterable<Uint8Array>,
  wants: (name: string, size: number) => boolean,
): AsyncGenerator<TarEntry, void> {
  const source = createSource(chunks)
  for (;;) {
    const block = await source.take(blockBytes)
    const header = block && headerFrom(block)
    if (header === undefined) return
    const padding = -header.size & (blockBytes - 1)
    if (header.isFile && wants(header.name, header.size)) {
      const content = await source.take(header.size)
      if (content === undefined) throw new Error('the archive is cut off')
      yield { name: header.name, content }
      await source.skip(padding)
    } else await source.skip(header.size + padding)
  }
}

/** Undefined for the empty block that ends an archive. */
function headerFrom(block: Buffer): Header | undefined {
  if (block[0] === 0) return undefined
  const text = (from: number, length: number) => {
    const field = block.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.toString('utf8', 0, end < 0 ? length : end)
  }
  const size = Number.parseInt(text(124, 12).trim() || '0', 8)
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('the archive is damaged')
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : ''
  const name = text(0, 100)
  const kind = text(156, 1)
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, isFile: kind === '' || kind === '0' }
}

function createSource(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  async function next(): Promise<Buffer | undefined> {
    const { done, value } = await iterator.next()
    return done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }

  return {
    /** Undefined if the stream ends before so many bytes. */
    async take(length: number): Promise<Buffer | undefined> {
      const parts: Buffer[] = [rest]
      let have = rest.length
      while (have < length) {
        const chunk = await next()
        if (chunk === undefined) return undefined
        parts.push(chunk)
        have += chunk.length
      }
      const all = parts.length === 1 ? rest : Buffer.concat(parts)
      rest = all.subarray(length)
      return all.subarray(0, length)
    },
    async skip(length: number): Promise<void> {
      let left = length
      while (left > rest.length) {
        left -= rest.length
        const chunk = await next()
        if (chunk === undefined) throw new Error('the archive is cut off')
        rest = chunk
      }
      rest = rest.subarray(left)
    },
  }
}
