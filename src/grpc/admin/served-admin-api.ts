// The Admin API of the participant: the part of Canton's that scripts and tools call. As in Canton, nobody needs a token, so
// its port is open to this machine only unless the settings say otherwise; the limits of strangers hold for everybody.
import { adminApi } from '../../protobuf/admin-api.ts'
import type { Row } from '../method.ts'
import type { ServedApi } from '../served-api.ts'
import { connectivityMethods } from './connectivity.ts'
import type { AdminMethod, NodeFacts } from './method.ts'
import { packageMethods } from './packages.ts'
import { participantMethods } from './participant.ts'
import { topologyMethods } from './topology.ts'

export function adminMethods(facts: NodeFacts): readonly AdminMethod[] {
  return [...participantMethods(facts), ...connectivityMethods, ...packageMethods, ...topologyMethods]
}

export function servedAdminApi(facts: NodeFacts): ServedApi {
  return {
    name: 'admin-api',
    messages: adminApi(),
    rows: adminMethods(facts).map(({ method, call }): Row => ({ method, schema: null, isOpen: true, call })),
    prefix: 'com.digitalasset.canton.',
    components: new Set(['']),
  }
}
