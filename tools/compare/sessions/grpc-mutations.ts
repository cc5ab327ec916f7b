// Requests over gRPC with something wrong: each field in turn, and names of synchronizers that are none.
import type { Json } from '../both.ts'
import { typedMutationsOf } from '../mutations.ts'
import type { World } from '../world.ts'

type Row = readonly [method: string, request: Json]

/** Each valid request, and each of its fields wrong. */
export async function withMutations(
  { both }: World,
  rows: readonly Row[],
  freshen = (request: Json) => request,
): Promise<void> {
  for (const [method, request] of rows) {
    await both.grpc(method, freshen(request), { as: 'app', note: 'as it should be' })
    for (const { note, body } of typedMutationsOf(request)) {
      await both.grpc(method, freshen(body), { as: 'app', note })
    }
  }
}

export function malformedSynchronizers({ synchronizers, participant }: World): string[] {
  const namespace = participant.split('::').at(-1)
  return [
    'x',
    'x::',
    '::x',
    'x::y',
    'x::1220',
    `other::${namespace}`,
    `${synchronizers[0]}::35-0`,
    `${synchronizers[0]} `,
    'ä::1220',
    'a::b::c',
  ]
}
