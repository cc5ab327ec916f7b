// Metrics of a node among several over one database. Left out if the database is for one node.
import type { Metrics } from '../../base/metrics.ts'
import type { Database } from './database.ts'
import type { SharingCounts } from './sharing.ts'

export function measureSharing(metrics: Metrics, { sharing }: Pick<Database, 'sharing'>): void {
  const read = (value: (counts: SharingCounts) => number) => () => sharing && value(sharing.counts())
  metrics.gauge(
    'tallystick_nodes',
    'Nodes over the database',
    read(({ nodes }) => nodes),
  )
  metrics.gauge('tallystick_leads', '1 on the node that does the work that only one may do', () =>
    sharing === undefined ? undefined : Number(sharing.leads()),
  )
  metrics.gauge(
    'tallystick_look_age_seconds',
    'Time since the node last looked at what others committed and changed',
    read(({ lookAgeMs }) => lookAgeMs / 1000),
  )
  metrics.total(
    'tallystick_looks_total',
    'Looks at what other nodes committed and changed',
    read(({ looks }) => looks),
  )
  metrics.total(
    'tallystick_notifications_total',
    'Notifications of other nodes',
    read(({ notifications }) => notifications),
  )
  metrics.total(
    'tallystick_drops_total',
    'How often what the node remembers was dropped because another node changed it, by kind',
    () => sharing && Object.entries(sharing.counts().drops).map(([kind, count]) => [[kind], count] as const),
    ['kind'],
  )
  metrics.total(
    'tallystick_claims_total',
    'How often the node claimed its membership: once, and again after others took it for dead',
    read(({ claims }) => claims),
  )
}
