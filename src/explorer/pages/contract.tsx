// One contract: its fields, its parties, its views, what can be done with it, and what became of it.
import { contractPath, contractRequest, eventsPath, type FoundContract, readContract } from '../api/contract-read.ts'
import { curlOf, typescriptOf } from '../api/snippets.ts'
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
    (signal) => readWithViews(contractId, signal),
    [contractId, readers.value?.join(), ledgerEpoch.value],
    ledgerEnd.value,
  ).value
  if (value === undefined) {
    return (
      <>
        <PageHead title="Contract" heading={<span class="mono">{shortId(contractId)}</span>} trail={trail} />
        {error === undefined ? <Loading what="the contract" /> : <NotShown error={error} />}
      </>
    )
  }
  const { event, creation, isActive } = value
  return (
    <>
      <PageHead
        title={`${templateName(event.templateId)} ${shortId(contractId)}`}
        heading={
          <>
            {templateName(event.templateId)} <span class="mono faint">{shortId(contractId)}</span> <State of={value} />
          </>
        }
        trail={trail}
      >
        {session.value.actsAs.length > 0 && (
          <Link to={createPath(referenceTo(event.templateId, event.packageName), contractId)} class="button plain">
            Another like this
          </Link>
        )}
        {isActive && <ContractMove event={event} creation={creation} />}
        <CopyButton
          label="Link"
          what="the link"
          text={() => location.origin + hrefOf(pathTo('contracts', contractId))}
        />
        <CopyButton label="JSON" what="the contract as JSON" text={() => JSON.stringify(event, null, 2)} />
        <CopyButton label="curl" what="the request as curl" text={() => curlOf(requestFor(value), location.origin)} />
        <CopyButton
          label="TypeScript"
          what="the request as TypeScript"
          text={() => typescriptOf(requestFor(value), location.origin)}
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
          <ContractHistory event={event} createdAt={creation?.offset} archivedAt={value.archivedAt} />
        </div>
        <div class="stack">
          <About found={value} />
          <ContractChoices event={event} isActive={isActive} />
        </div>
      </div>
    </>
  )
}

function NotShown({ error }: { readonly error: unknown }) {
  const code = (error as { code?: string } | undefined)?.code
  if (error !== undefined && code !== 'CONTRACT_PAYLOAD_NOT_FOUND') return <Problem error={error} />
  return (
    <Empty icon="eye" title="There is no such contract to see">
      It does not exist, it was pruned, or none of the parties that you read as is a stakeholder.
    </Empty>
  )
}

function State({ of: { isActive, archivedAt } }: { readonly of: FoundContract }) {
  if (isActive) return <Badge kind="create">active</Badge>
  return <Badge kind="archive">{archivedAt === undefined ? 'not active here' : 'archived'}</Badge>
}

function About({ found: { event, creation, archivedAt } }: { readonly found: FoundContract }) {
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
            creation === undefined && ['By update', 'one that this participant does not have'],
            creation !== undefined && ['By update', <OffsetLink key="offset" offset={creation.offset} />],
            creation !== undefined && ['Created on', <Synchronizer key="id" id={creation.synchronizerId} />],
            archivedAt !== undefined && ['Archived by', <OffsetLink key="offset" offset={archivedAt} />],
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

/** The request that gives the contract. */
function requestFor({ event: { contractId }, creation }: FoundContract) {
  const format = eventFormat(filtersOf(withBlob))
  return creation === undefined
    ? ({ method: 'POST', path: contractPath, body: contractRequest(contractId, format) } as const)
    : ({ method: 'POST', path: eventsPath, body: { contractId, eventFormat: format } } as const)
}

/** With the views of the interfaces that its template implements. */
async function readWithViews(contractId: string, signal: AbortSignal): Promise<FoundContract> {
  const found = await readContract(contractId, eventFormat(filtersOf(withBlob)), signal)
  if (found.creation === undefined) return found
  const { templateId } = found.event
  const types = await loadTypes(partsOf(templateId).packageId)
  const interfaces = templateIn(types, templateId)?.implements ?? []
  if (types === undefined || interfaces.length === 0) return found
  const filters = interfaces.map((id) => interfaceFilter(referenceIn(types, id)))
  return readContract(contractId, eventFormat(filtersOf(withBlob, ...filters)), signal)
}
