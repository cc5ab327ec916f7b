// Streams over WebSockets: elements, refusals, and messages that are no requests.
import { filtersFor, updateFormat, type World } from '../world.ts'

export async function webSocketSession({ both, alice, bank }: World): Promise<void> {
  const { offset } = await both.get('/v2/state/ledger-end')
  const format = updateFormat({ ...filtersFor([alice]), verbose: false })
  const range = { beginExclusive: Math.max(0, offset - 5), endInclusive: offset }
  const as = { as: 'app' }
  const requests: readonly (readonly [path: string, request: unknown])[] = [
    ['/v2/updates', { ...range, updateFormat: format }],
    ['/v2/updates/flats', { ...range, filter: filtersFor([alice]), verbose: true }],
    ['/v2/updates/trees', { ...range, filter: filtersFor([alice]), verbose: true }],
    ['/v2/state/active-contracts', { activeAtOffset: offset, eventFormat: filtersFor([alice]) }],
    ['/v2/commands/completions', { userId: 'app', parties: [alice, bank], beginExclusive: range.beginExclusive }],
  ]
  for (const [path, request] of requests) {
    await both.listen(path, request, as)
    for (const wrong of ['{}', '[]', 'null', 'x', '']) await both.listen(path, wrong, as)
  }
  await both.listen('/v2/updates', { ...range, descendingOrder: true, updateFormat: format }, as)
  await both.listen('/v2/updates', { beginExclusive: offset + 100, updateFormat: format }, as)
  await both.listen('/v2/updates', { beginExclusive: -1, updateFormat: format }, as)
  await both.listen('/v2/updates', { beginExclusive: 5, endInclusive: 1, updateFormat: format }, as)
  await both.listen('/v2/nothing', {}, as)
  await both.listen('/v2/updates/', { ...range, updateFormat: format }, as)
}
