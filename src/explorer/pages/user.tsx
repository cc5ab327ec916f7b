// One user: its fields, its rights, and on a development node a token for it.
import { useSignal } from '@preact/signals'
import { deleteUser, type KnownUser, readUser, updateUser } from '../api/people.ts'
import { AnnotationList, AnnotationsField, annotationsFrom, annotationText } from '../parts/annotations.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Loading } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { CheckField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Party } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PartyField } from '../parts/party-field.tsx'
import { Problem } from '../parts/problem.tsx'
import { confirm } from '../state/confirmation.ts'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { navigate } from '../state/location.ts'
import type { PageProps } from '../state/page.ts'
import { session } from '../state/session.ts'
import { toast, toastError } from '../state/toasts.ts'
import { UserRights } from './user-rights.tsx'
import { UserToken } from './user-token.tsx'

export function UserPage({ params }: PageProps) {
  const id = params.id!
  const changes = useSignal(0)
  const isEditing = useSignal(false)
  const { value, error } = useLoaded((signal) => readUser(id, signal), [id, changes.value, ledgerEpoch.value]).value
  return (
    <>
      <PageHead title={id} trail={[['Users', '/users']]}>
        {value !== undefined && (
          <>
            <Button
              onClick={() => {
                isEditing.value = true
              }}
            >
              Edit
            </Button>
            <Button kind="danger" onClick={() => void remove(id)}>
              Delete
            </Button>
          </>
        )}
      </PageHead>
      {error !== undefined && <Problem error={error} />}
      {value === undefined && error === undefined && <Loading what="the user" />}
      {value !== undefined && (
        <div class="stack">
          <UserFacts user={value} />
          <UserRights user={value} />
          {session.value.isDevelopment && <UserToken userId={value.id} />}
        </div>
      )}
      {value !== undefined && isEditing.value && (
        <EditUser
          user={value}
          onClose={() => {
            isEditing.value = false
            changes.value += 1
          }}
        />
      )}
    </>
  )
}

function UserFacts({ user }: { readonly user: KnownUser }) {
  const { primaryParty, isDeactivated, identityProviderId, metadata } = user
  return (
    <section class="panel">
      <div class="panel-body">
        <Facts
          facts={[
            ['State', isDeactivated ? <Badge kind="danger">deactivated</Badge> : <Badge kind="accent">active</Badge>],
            ['Primary party', primaryParty === '' ? <span class="faint">none</span> : <Party id={primaryParty} />],
            ['Provider', identityProviderId || 'default'],
            ['Annotations', <AnnotationList key="notes" annotations={metadata?.annotations ?? {}} />],
          ]}
        />
      </div>
    </section>
  )
}

function EditUser({ user, onClose }: { readonly user: KnownUser; readonly onClose: () => void }) {
  const party = useSignal(user.primaryParty)
  const isDeactivated = useSignal(user.isDeactivated)
  const text = useSignal(annotationText(user.metadata?.annotations ?? {}))
  const annotations = annotationsFrom(text.value)
  return (
    <FormDialog
      title={`Edit ${user.id}`}
      action="Save"
      isIncomplete={annotations === undefined}
      onSubmit={() =>
        updateUser(user, {
          primaryParty: party.value.trim(),
          isDeactivated: isDeactivated.value,
          annotations: annotations!,
        })
      }
      onClose={onClose}
    >
      <PartyField
        label="Primary party"
        value={party.value}
        onChange={(next) => {
          party.value = next
        }}
      />
      <CheckField
        label="Deactivated: every request of the user is refused"
        isChecked={isDeactivated.value}
        onChange={(next) => {
          isDeactivated.value = next
        }}
      />
      <AnnotationsField
        value={text.value}
        onInput={(next) => {
          text.value = next
        }}
      />
    </FormDialog>
  )
}

async function remove(id: string): Promise<void> {
  const isSure = await confirm({
    title: `Delete ${id}?`,
    text: 'The user and its rights are deleted, and its tokens are refused from now on. Its contracts stay.',
    action: 'Delete',
    isDangerous: true,
  })
  if (!isSure) return
  try {
    await deleteUser(id)
    toast(`Deleted ${id}`)
    navigate('/users')
  } catch (error) {
    toastError(error)
  }
}
