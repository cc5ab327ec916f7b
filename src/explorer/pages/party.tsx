// One party: its id, where it is hosted, its annotations, and the way to what it sees.
import { useSignal } from '@preact/signals'
import { annotateParty, type KnownParty, readParty } from '../api/people.ts'
import { AnnotationList, AnnotationsField, annotationsFrom, annotationText } from '../parts/annotations.tsx'
import { Button } from '../parts/button.tsx'
import { CopyIcon } from '../parts/copy.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
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
      <dl class="panel-body facts">
        <Id id={id} />
      </dl>
    </section>
  )
}

function Id({ id }: { readonly id: string }) {
  return (
    <div>
      <dt>Id</dt>
      <dd class="mono breakable">
        {id} <CopyIcon text={id} what="the party id" />
      </dd>
    </div>
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
      <dl class="panel-body facts">
        <Id id={id} />
        <div>
          <dt>Hosted</dt>
          <dd>{value.isLocal ? 'on this participant' : 'on another participant'}</dd>
        </div>
        <div>
          <dt>Identity provider</dt>
          <dd>{value.identityProviderId || 'default'}</dd>
        </div>
        <div>
          <dt>Annotations</dt>
          <dd>
            <AnnotationList annotations={value.localMetadata?.annotations ?? {}} />
          </dd>
        </div>
        <div>
          <dt>What it sees</dt>
          <dd class="links">
            {mayReadAs(id) ? (
              <>
                <ViewButton id={id} to="/updates" words="Updates" />
                <ViewButton id={id} to="/contracts" words="Contracts" />
              </>
            ) : (
              <span class="faint">Your token may not read as it</span>
            )}
          </dd>
        </div>
      </dl>
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
