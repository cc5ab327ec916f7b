// /dev/network: the participants of a network, and what a developer does to them, on a development node.
import type { Static } from 'typebox'
import { invalidField } from '../../base/errors.ts'
import type { NetworkControl } from '../../ledger/network/control.ts'
import { RenderedJson, type Route, route } from '../route.ts'
import * as wire from '../wire/network.ts'

const tag = 'Development'

type Order = Static<typeof wire.controlParticipantRequest>

export const networkRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/dev/network',
    tag,
    summary: 'List the participants of the network: where they are connected, and what they have not been given yet',
    response: wire.networkResponse,
    call: async ({ network }) => wire.networkToJson((await network?.list()) ?? []),
  }),

  route({
    method: 'GET',
    path: '/dev/network/updates/{update-id}',
    tag,
    summary: 'Get an update as each participant of the network shows it',
    response: wire.participantViewsResponse,
    async call({ network }, { params }, _, context) {
      return new RenderedJson(wire.viewsToJson((await network?.views(params['update-id']!, context)) ?? []))
    },
  }),

  route({
    method: 'POST',
    path: '/dev/network',
    tag,
    summary: 'Connect, disconnect, stop, resume or delay a participant of the network',
    body: wire.controlParticipantRequest,
    response: wire.networkResponse,
    async call({ network }, { body }) {
      if (network === undefined) throw noNetwork('participant')
      await control(network, body)
      return wire.networkToJson(await network.list())
    },
  }),

  route({
    method: 'POST',
    path: '/dev/network/parties',
    tag,
    summary: 'Allocate a party that other participants of the network host, too; each may submit for it',
    body: wire.allocateOnSeveralRequest,
    response: wire.allocateOnSeveralResponse,
    async call({ network, parties }, { body: { partyIdHint, participants } }, { caller }, { traceContext }) {
      if (network === undefined) throw noNetwork('participants')
      const request = {
        partyIdHint,
        localMetadata: { resourceVersion: '', annotations: {} },
        identityProviderId: '',
        synchronizerId: undefined,
        userId: '',
        otherHosts: participants.map(network.idOf),
      }
      return { party: (await parties.allocate(request, caller, traceContext)).party }
    },
  }),
]

const noNetwork = (field: string) => invalidField(field, 'this node has one participant, and no network')

const delayMsMax = 600_000

async function control(network: NetworkControl, { participant, action, synchronizerAlias, delayMs }: Order) {
  if (synchronizerAlias !== '' && action !== 'connect' && action !== 'disconnect') {
    throw invalidField('synchronizerAlias', 'it is only for connect and disconnect')
  }
  switch (action) {
    case 'connect':
    case 'disconnect':
      return network.setConnected(participant, synchronizerAlias, action === 'connect')
    case 'stop':
    case 'resume':
      return network.setStopped(participant, action === 'stop')
    case 'delay':
      if (delayMs < 0 || delayMs > delayMsMax) throw invalidField('delayMs', `it must be between 0 and ${delayMsMax}`)
      return network.delay(participant, delayMs)
    default:
      throw invalidField('action', 'it must be connect, disconnect, stop, resume or delay')
  }
}
