// One party: its id, where it is hosted, its contracts and latest updates, and who may act or read as it.
import { useSignal } from '@preact/signals'
import { readParticipantId, readSynchronizers } from '../api/ledger-reads.ts'
import { annotateParty, type KnownParty, readParty } from '../api/people.ts'
import { servedOf, walletInterfaces } from '../api/wallet.ts'
import { AnnotationList, AnnotationsField, annotationsFrom, annotationText } from '../parts/annotations.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CopyIcon } from '../parts/copy.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Link } from '../parts/link.tsx'
import { hintOf, Party, Synchronizer } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { pathTo } from '../state/location.ts'
import { usePackageNames } from '../state/package-names.ts'
import type { PageProps } from '../state/page.ts'
import { viewAs, viewedParty } from '../state/party-view.ts'
import { mayReadAs, session } from '../state/session.ts'
import { PartyContracts, PartyUpdates } from './party-ledger.tsx'
import { PartyRights } from './party-rights.tsx'

export function PartyPage({ params }: PageProps) {
  const id = params.id!
  return (
    <>
      <PageHead title={hintOf(id)} heading={<Party id={id} isLink={false} />} trail={[['Parties', '/parties']]}>
        {mayReadAs(id) && <WalletLink id={id} />}
        {mayReadAs(id) && viewedParty.value !== id && (
          <Button icon="eye" onClick={() => viewAs(id)}>
            View as {hintOf(id)}
          </Button>
        )}
      </PageHead>
      <div class="stack">
        {session.value.isAdmin || session.value.isIdentityProviderAdmin ? <Details id={id} /> : <OnlyId id={id} />}
        {mayReadAs(id) && <PartyContracts id={id} />}
        {mayReadAs(id) && <PartyUpdates id={id} />}
        {session.value.isAdmin && <PartyRights id={id} />}
      </div>
    </>
  )
}

/** Only where there are tokens. */
function WalletLink({ id }: { readonly id: string }) {
  const { value: names } = usePackageNames()
  if (names === undefined || servedOf(walletInterfaces.holdings, names).length === 0) return null
  return <Link to={pathTo('parties', id, 'wallet')}>Wallet</Link>
}

function OnlyId({ id }: { readonly id: string }) {
  return (
    <section class="panel">
      <div class="panel-body">
        <Facts
          facts={[
            ['Id', <PartyId key="id" id={id} />],
            mayReadAs(id) && ['Hosted on', <Hosting key="hosting" id={id} />],
          ]}
        />
      </div>
    </section>
  )
}

function PartyId({ id }: { readonly id: string }) {
  return (
    <span class="id">
      <span class="mono">{id}</span>
      <CopyIcon text={id} what="the party id" />
    </span>
  )
}

function Details({ id }: { readonly id: string }) {
  const changes = useSignal(0)
  const isEditing = useSignal(false)
  const { value, error, isLoading } = useLoaded(
    (signal) => readParty(id, signal),
    [id, changes.value, ledgerEpoch.value],
  ).value
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined) {
    return isLoading ? <Loading what="the party" /> : <Empty icon="users" title="This participant does not know it" />
  }
  return (
    <section class="panel">
      <div class="panel-body">
        <Facts
          facts={[
            ['Id', <PartyId key="id" id={id} />],
            ['Hosted on', value.isLocal ? <Hosting key="hosting" id={id} /> : 'another participant'],
            ['Provider', value.identityProviderId || 'default'],
            ['Annotations', <AnnotationList key="notes" annotations={value.localMetadata?.annotations ?? {}} />],
          ]}
        />
      </div>
      <div class="panel-body">
        <Button
          onClick={() => {
            isEditing.value = true
          }}
        >
          Edit annotations
        </Button>
      </div>
      {isEditing.value && (
        <EditParty
          party={value}
          onClose={() => {
            isEditing.value = false
            changes.value += 1
          }}
        />
      )}
    </section>
  )
}

/** The synchronizers, and what the participant may do there for the party. */
function Hosting({ id }: { readonly id: string }) {
  const { value, error } = useLoaded(
    async (signal) => ({
      participantId: await readParticipantId(signal),
      synchronizers: await readSynchronizers(signal, id),
    }),
    [id, ledgerEpoch.value],
  ).value
  if (error !== undefined) return <span class="faint">{(error as Error).message}</span>
  if (value === undefined) return <span class="faint">…</span>
  const { participantId, synchronizers } = value
  const isExternal = namespaceOf(participantId) !== namespaceOf(id)
  return (
    <div class="hosting">
      {synchronizers.map(({ synchronizerId, permission = '' }) => (
        <span key={synchronizerId}>
          <Synchronizer id={synchronizerId} />{' '}
          <Badge kind="topology">{permission.replace('PARTICIPANT_PERMISSION_', '').toLowerCase()}</Badge>
        </span>
      ))}
      <span>
        by <span title={participantId}>{hintOf(participantId)}</span>
      </span>
      <Badge>{isExternal ? 'external: it signs with its own keys' : 'local: the participant signs for it'}</Badge>
      <Link to={`/updates?${new URLSearchParams({ kind: 'topology', party: id })}`}>How that came about</Link>
    </div>
  )
}

const namespaceOf = (id: string): string | undefined => id.split('::')[1]

function EditParty({ party, onClose }: { readonly party: KnownParty; readonly onClose: () => void }) {
  const text = useSignal(annotationText(party.localMetadata?.annotations ?? {}))
  const annotations = annotationsFrom(text.value)
  return (
    <FormDialog
      title={`Annotations of ${hintOf(party.party)}`}
      action="Save"
      isIncomplete={annotations === undefined}
      onSubmit={() => annotateParty(party, annotations!)}
      onClose={onClose}
    >
      <AnnotationsField
        value={text.value}
        onInput={(next) => {
          text.value = next
        }}
      />
    </FormDialog>
  )
}
