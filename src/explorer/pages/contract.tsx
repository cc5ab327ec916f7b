// One contract: its fields, its parties, its views, what can be done with it, and what became of it.
import { type ContractEvents, readContractEvents } from '../api/ledger-reads.ts'
import { curlOf, typescriptOf } from '../api/snippets.ts'
import type { CreatedEvent } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { CopyButton, CopyIcon } from '../parts/copy.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Link } from '../parts/link.tsx'
import { OffsetLink, Parties, Synchronizer, shortId, Template, Time, templateName } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { bytesText } from '../parts/quantities.ts'
import { ContractFields, ContractKey, ViewFields } from '../parts/typed.tsx'
import { createPath } from '../state/act-paths.ts'
import { ledgerEnd, ledgerEpoch } from '../state/ledger.ts'
import { useLive } from '../state/live-reads.ts'
import { hrefOf, pathTo } from '../state/location.ts'
import { loadTypes, partsOf, referenceIn, referenceTo, templateIn } from '../state/packages.ts'
import type { PageProps } from '../state/page.ts'
import { eventFormat, filtersOf, interfaceFilter, readers } from '../state/party-view.ts'
import { session } from '../state/session.ts'
import { ContractChoices } from './contract-choices.tsx'
import { ContractHistory } from './contract-history.tsx'
import { ContractMove } from './contract-move.tsx'

const trail = [['Contracts', '/contracts']] as const
const withBlob = { WildcardFilter: { value: { includeCreatedEventBlob: true } } }

export function ContractPage({ params }: PageProps) {
  const contractId = params.id!
  const { value, error } = useLive(
    (signal) => readContract(contractId, signal),
    [contractId, readers.value?.join(), ledgerEpoch.value],
    ledgerEnd.value,
  ).value
  const event = value?.created?.createdEvent
  if (value === undefined || event === undefined) {
    return (
      <>
        <PageHead title="Contract" heading={<span class="mono">{shortId(contractId)}</span>} trail={trail} />
        {error === undefined && value === undefined ? <Loading what="the contract" /> : <NotShown error={error} />}
      </>
    )
  }
  const isActive = value.archived === undefined || value.archived === null
  return (
    <>
      <PageHead
        title={`${templateName(event.templateId)} ${shortId(contractId)}`}
        heading={
          <>
            {templateName(event.templateId)} <span class="mono faint">{shortId(contractId)}</span>{' '}
            {isActive ? <Badge kind="create">active</Badge> : <Badge kind="archive">archived</Badge>}
          </>
        }
        trail={trail}
      >
        {session.value.actsAs.length > 0 && (
          <Link to={createPath(referenceTo(event.templateId, event.packageName), contractId)} class="button plain">
            Another like this
          </Link>
        )}
        {isActive && <ContractMove event={event} createdOn={value.created!.synchronizerId} />}
        <CopyButton
          label="Link"
          what="the link"
          text={() => location.origin + hrefOf(pathTo('contracts', contractId))}
        />
        <CopyButton label="JSON" what="the contract as JSON" text={() => JSON.stringify(event, null, 2)} />
        <CopyButton label="curl" what="the request as curl" text={() => curlOf(requestFor(event), location.origin)} />
        <CopyButton
          label="TypeScript"
          what="the request as TypeScript"
          text={() => typescriptOf(requestFor(event), location.origin)}
        />
      </PageHead>
      <div class="columns contract">
        <div class="stack">
          <section class="panel" aria-label="Fields">
            <h2>Fields</h2>
            <div class="panel-body">
              <ContractFields event={event} />
            </div>
          </section>
          {(event.interfaceViews ?? []).map((view) => (
            <section key={view.interfaceId} class="panel" aria-label={`View ${templateName(view.interfaceId)}`}>
              <h2>
                As <Template id={view.interfaceId} />
              </h2>
              <div class="panel-body">
                <ViewFields view={view} />
              </div>
            </section>
          ))}
          <ContractHistory event={event} archivedAt={value.archived?.archivedEvent.offset} />
        </div>
        <div class="stack">
          <About event={event} found={value} />
          <ContractChoices event={event} isActive={isActive} />
        </div>
      </div>
    </>
  )
}

function NotShown({ error }: { readonly error: unknown }) {
  const code = (error as { code?: string } | undefined)?.code
  if (error !== undefined && code !== 'CONTRACT_EVENTS_NOT_FOUND') return <Problem error={error} />
  return (
    <Empty icon="eye" title="There is no such contract to see">
      It does not exist, it was pruned, or none of the parties that you read as is a stakeholder.
    </Empty>
  )
}

function About({ event, found }: { readonly event: CreatedEvent; readonly found: ContractEvents }) {
  const { contractId, templateId, packageName, signatories, observers = [], createdAt, contractKey } = event
  const list = `/contracts?template=${encodeURIComponent(referenceTo(templateId, packageName))}`
  return (
    <section class="panel" aria-label="About the contract">
      <h2>About it</h2>
      <div class="panel-body">
        <Facts
          facts={[
            [
              'Template',
              <Link key="template" to={list}>
                <Template id={templateId} packageName={packageName} />
              </Link>,
            ],
            ['Signatories', <Parties key="parties" ids={signatories} />],
            observers.length > 0 && ['Observers', <Parties key="parties" ids={observers} />],
            contractKey !== undefined && contractKey !== null && ['Key', <ContractKey key="key" event={event} />],
            ['Created', <Time key="time" iso={createdAt} />],
            ['By update', <OffsetLink key="offset" offset={event.offset} />],
            ['Created on', <Synchronizer key="id" id={found.created?.synchronizerId ?? ''} />],
            found.archived !== undefined &&
              found.archived !== null && [
                'Archived by',
                <OffsetLink key="offset" offset={found.archived.archivedEvent.offset} />,
              ],
            event.createdEventBlob !== undefined && [
              'Blob',
              <span key="blob" class="id">
                {bytesText(Math.floor((event.createdEventBlob.length * 3) / 4))}
                <CopyIcon text={event.createdEventBlob} what="the blob for disclosure" />
              </span>,
            ],
            [
              'Id',
              <span key="id" class="id">
                <span class="mono" title={contractId}>
                  {shortId(contractId)}
                </span>
                <CopyIcon text={contractId} what="the contract id" />
              </span>,
            ],
          ]}
        />
      </div>
    </section>
  )
}

const requestFor = ({ contractId }: CreatedEvent) =>
  ({
    method: 'POST',
    path: '/v2/events/events-by-contract-id',
    body: { contractId, eventFormat: eventFormat(filtersOf(withBlob)) },
  }) as const

/** With the views of the interfaces that its template implements. */
async function readContract(contractId: string, signal: AbortSignal): Promise<ContractEvents> {
  const found = await readContractEvents(contractId, eventFormat(filtersOf(withBlob)), signal)
  const templateId = found.created?.createdEvent.templateId
  if (templateId === undefined) return found
  const types = await loadTypes(partsOf(templateId).packageId)
  const interfaces = templateIn(types, templateId)?.implements ?? []
  if (types === undefined || interfaces.length === 0) return found
  const filters = interfaces.map((id) => interfaceFilter(referenceIn(types, id)))
  return readContractEvents(contractId, eventFormat(filtersOf(withBlob, ...filters)), signal)
}
