// A change of the topology: who hosts which party.
import type { TopologyTransaction } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { hintOf, Party } from '../parts/names.tsx'

const words: Readonly<Record<string, string>> = {
  ParticipantAuthorizationAdded: 'is hosted by',
  ParticipantAuthorizationChanged: 'has another permission at',
  ParticipantAuthorizationOnboarding: 'is about to be hosted by',
  ParticipantAuthorizationRevoked: 'is no longer hosted by',
}

export function TopologyEvents({ topology }: { readonly topology: TopologyTransaction }) {
  return (
    <section class="panel" aria-label="Events">
      <h2>Who hosts whom</h2>
      <div class="panel-body">
        <TopologyChanges topology={topology} />
      </div>
    </section>
  )
}

export function TopologyChanges({ topology }: { readonly topology: TopologyTransaction }) {
  const changes = topology.events.flatMap(({ event }) => Object.entries(event))
  return (
    <ul>
      {changes.map(([kind, { value }], index) => (
        <li key={index} class="change">
          <Party id={value.partyId} /> {Object.hasOwn(words, kind) ? words[kind] : kind}{' '}
          <span title={value.participantId}>{hintOf(value.participantId)}</span>{' '}
          {value.participantPermission !== undefined && (
            <Badge kind="topology">
              {value.participantPermission.replace('PARTICIPANT_PERMISSION_', '').toLowerCase()}
            </Badge>
          )}
        </li>
      ))}
    </ul>
  )
}
