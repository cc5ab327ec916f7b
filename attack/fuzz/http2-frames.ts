// Frames of HTTP/2 by hand, for floods that no client library sends.

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export const frameTypes = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, ping: 6, windowUpdate: 8 } as const

export function frame(type: number, flags: number, streamId: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const bytes = Buffer.alloc(9 + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.writeUInt32BE(streamId, 5)
  bytes.set(payload, 9)
  return bytes
}

const endStream = 1
const endHeaders = 4

/** The head of a gRPC call without a token, as literals that no table remembers. */
export function callHead(streamId: number, path: string, isWhole = false): Buffer {
  const fields = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'node'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ] as const
  const literals = fields.flatMap(([name, value]) => [
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ])
  return frame(frameTypes.headers, endHeaders | (isWhole ? endStream : 0), streamId, Buffer.concat(literals))
}

/** SETTINGS of a client that reads as much as it is sent. */
export const greedySettings = frame(
  frameTypes.settings,
  0,
  0,
  Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]), // The initial window.
)
export const greedyWindow = frame(frameTypes.windowUpdate, 0, 0, Buffer.from([0x7f, 0xff, 0, 0]))
