// Updates as rows: when, what, who, by which command.
import type { SummaryAct, SummaryRow } from '../api/update-summaries.ts'
import { Badge, type BadgeKind } from '../parts/badge.tsx'
import { OffsetLink, Parties, Party, Synchronizer, Time, templateName, Zone } from '../parts/names.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { pathTo } from '../state/location.ts'

const badges: Readonly<Record<SummaryAct['verb'], readonly [BadgeKind, string]>> = {
  create: ['create', 'create'],
  exercise: ['exercise', 'exercise'],
  archive: ['archive', 'archive'],
  assign: ['move', 'assign'],
  unassign: ['move', 'unassign'],
  host: ['topology', 'host'],
}
const actsShown = 3

function What({ summary }: { readonly summary: SummaryRow }) {
  const { roots, hasMoreRoots, created, archived, isWhole } = summary
  const more = isWhole ? '' : ' or more'
  // The same act, however often, is one word.
  const acts = [...Map.groupBy(roots, ({ verb, subject, choice = '' }) => `${verb} ${subject} ${choice}`)]
  return (
    <span class="acts">
      {acts.slice(0, actsShown).map(([key, same]) => (
        <span key={key} class="act">
          <Badge kind={badges[same[0]!.verb][0]}>{badges[same[0]!.verb][1]}</Badge> <Subject act={same[0]!} />
          {same.length > 1 && !hasMoreRoots && <span class="faint"> × {same.length}</span>}
        </span>
      ))}
      {(hasMoreRoots || acts.length > actsShown) && <span class="faint">and more</span>}
      {(created > 0 || archived > 0) && (
        <span class="faint counts">
          {created > 0 && `+${created.toLocaleString('en-GB')}`}{' '}
          {archived > 0 && `−${archived.toLocaleString('en-GB')}`}
          {more}
        </span>
      )}
    </span>
  )
}

function Subject({ act }: { readonly act: SummaryAct }) {
  if (act.verb === 'host') return <Party id={act.subject} />
  return (
    <span title={act.subject}>
      <b>{templateName(act.subject)}</b>
      {act.choice !== undefined && <span class="faint"> {act.choice}</span>}
    </span>
  )
}

const columns: readonly Column<SummaryRow>[] = [
  { name: 'offset', title: 'Offset', isNumber: true, show: ({ offset }) => <OffsetLink offset={offset} /> },
  {
    name: 'time',
    title: (
      <>
        Recorded <Zone />
      </>
    ),
    show: ({ recordTime }) => <Time iso={recordTime} isShort />,
  },
  { name: 'what', title: 'What', isWide: true, show: (summary) => <What summary={summary} /> },
  { name: 'who', title: 'Seen by', show: ({ parties, partyCount }) => <Parties ids={parties} count={partyCount} /> },
  {
    name: 'command',
    title: 'Command',
    show: ({ commandId }) => <span class="mono cut">{commandId}</span>,
  },
  { name: 'synchronizer', title: 'On', show: ({ synchronizerId }) => <Synchronizer id={synchronizerId} /> },
]

type Props = { readonly rows: readonly SummaryRow[]; readonly caption?: string }

export function UpdateTable({ rows, caption = 'Updates' }: Props) {
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      keyOf={({ offset }) => offset}
      linkOf={({ offset }) => pathTo('updates', offset)}
    />
  )
}
