// One party: its id, where it is hosted, its annotations, and the way to what it sees.
import { useSignal } from '@preact/signals'
import { annotateParty, type KnownParty, readParty } from '../api/people.ts'
import { AnnotationList, AnnotationsField, annotationsFrom, annotationText } from '../parts/annotations.tsx'
import { Button } from '../parts/button.tsx'
import { CopyIcon } from '../parts/copy.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { hintOf, Party } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { navigate } from '../state/location.ts'
import type { PageProps } from '../state/page.ts'
import { viewAs, viewedParty } from '../state/party-view.ts'
import { mayReadAs, session } from '../state/session.ts'

export function PartyPage({ params }: PageProps) {
  const id = params.id!
  return (
    <>
      <PageHead title={hintOf(id)} heading={<Party id={id} isLink={false} />} trail={[['Parties', '/parties']]}>
        {mayReadAs(id) && viewedParty.value !== id && (
          <Button icon="eye" onClick={() => viewAs(id)}>
            View as {hintOf(id)}
          </Button>
        )}
      </PageHead>
      {session.value.isAdmin || session.value.isIdentityProviderAdmin ? <Details id={id} /> : <OnlyId id={id} />}
    </>
  )
}

function OnlyId({ id }: { readonly id: string }) {
  return (
    <section class="panel">
      <div class="panel-body">
        <Facts facts={[['Id', <PartyId key="id" id={id} />]]} />
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
            ['Hosted', value.isLocal ? 'on this participant' : 'on another participant'],
            ['Provider', value.identityProviderId || 'default'],
            ['Annotations', <AnnotationList key="notes" annotations={value.localMetadata?.annotations ?? {}} />],
            ['What it sees', <Views key="views" id={id} />],
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

function Views({ id }: { readonly id: string }) {
  if (!mayReadAs(id)) return <span class="faint">Your token may not read as it</span>
  return (
    <span class="links">
      <ViewButton id={id} to="/updates" words="Updates" />
      <ViewButton id={id} to="/contracts" words="Contracts" />
    </span>
  )
}

/** Leads there with the eyes of the party. */
function ViewButton({ id, to, words }: { readonly id: string; readonly to: string; readonly words: string }) {
  return (
    <Button
      kind="quiet"
      icon="arrow"
      onClick={() => {
        viewAs(id)
        navigate(to)
      }}
    >
      {words}
    </Button>
  )
}

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
