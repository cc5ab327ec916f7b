// GET /api/validator/v0/admin/participant: what a validator tells about its participant. Nothing of it is needed to restore a
// participant here, so there are no private keys in it.
import { templates } from '../ledger/templates.ts'
import type { Route, ValidatorContext } from '../serving/route.ts'

const base = '/api/validator/v0/admin/participant'

export const participantRoutes: readonly Route<ValidatorContext>[] = [
  {
    method: 'GET',
    path: `${base}/identities`,
    access: 'operator',
    answer: async ({ validator, network }) => ({
      id: `PAR::${validator.participantId}`,
      keys: [],
      authorizedStoreSnapshot: '',
      version: network.release?.version ?? 'none',
    }),
  },
  {
    method: 'GET',
    path: `${base}/global-domain-connection-config`,
    access: 'operator',
    answer: async (context) => ({
      sequencer_connections: {
        connections: [
          { sequencer_alias: 'sv', endpoints: [await sequencerEndpoint(context)], transport_security: false },
        ],
        sequencer_trust_threshold: 1,
        sequencer_liveness_margin: 0,
        submission_request_amplification: { factor: 1, patience_seconds: 10 },
      },
    }),
  },
]

/** As the super validator publishes it. */
async function sequencerEndpoint({ dso, network }: ValidatorContext): Promise<string> {
  const node = await dso.only(templates.svNodeState)
  const nodes: [synchronizerId: string, node: { sequencer: { url: string } }][] =
    node?.payload.state.synchronizerNodes ?? []
  const found = nodes.find(([synchronizerId]) => synchronizerId === network.synchronizerId)
  return found === undefined ? 'localhost:5008' : new URL(found[1].sequencer.url).host
}
