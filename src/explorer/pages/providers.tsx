// Identity providers: issuers whose tokens the node accepts, beside its own keys.
import { useSignal } from '@preact/signals'
import { createProvider, deleteProvider, type IdentityProvider, readProviders, updateProvider } from '../api/people.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { CheckField, TextField } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { confirm } from '../state/confirmation.ts'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { toast, toastError } from '../state/toasts.ts'

const blank: IdentityProvider = { identityProviderId: '', isDeactivated: false, issuer: '', jwksUrl: '', audience: '' }

export function ProvidersPage() {
  const changes = useSignal(0)
  const edited = useSignal<IdentityProvider | undefined>(undefined)
  const { value, error } = useLoaded((signal) => readProviders(signal), [changes.value, ledgerEpoch.value]).value

  async function remove(id: string): Promise<void> {
    const isSure = await confirm({
      title: `Delete ${id}?`,
      text: 'Tokens of this issuer are refused from now on. Its users and parties stay, and cannot be reached by them.',
      action: 'Delete',
      isDangerous: true,
    })
    if (!isSure) return
    try {
      await deleteProvider(id)
      toast(`Deleted ${id}`)
      changes.value += 1
    } catch (refusal) {
      toastError(refusal)
    }
  }

  const columns: readonly Column<IdentityProvider>[] = [
    { name: 'id', title: 'Id', show: ({ identityProviderId }) => <b>{identityProviderId}</b> },
    { name: 'issuer', title: 'Issuer', show: ({ issuer }) => issuer },
    { name: 'keys', title: 'Keys', isWide: true, show: ({ jwksUrl }) => <span class="mono">{jwksUrl}</span> },
    { name: 'audience', title: 'Audience', show: ({ audience }) => audience || <span class="faint">any</span> },
    {
      name: 'state',
      title: 'State',
      show: ({ isDeactivated }) =>
        isDeactivated ? <Badge kind="danger">deactivated</Badge> : <Badge kind="create">active</Badge>,
    },
    {
      name: 'actions',
      title: <span class="unseen">Actions</span>,
      show: (provider) => (
        <>
          <Button
            kind="quiet"
            onClick={() => {
              edited.value = provider
            }}
          >
            Edit
          </Button>
          <Button kind="quiet" onClick={() => void remove(provider.identityProviderId)}>
            Delete
          </Button>
        </>
      ),
    },
  ]
  return (
    <>
      <PageHead title="Identity providers" note="Issuers whose tokens the node accepts, beside its own keys">
        <Button
          kind="primary"
          icon="plus"
          onClick={() => {
            edited.value = blank
          }}
        >
          New provider
        </Button>
      </PageHead>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="identity providers" />
      ) : value.length === 0 ? (
        <Empty icon="users" title="No identity providers">
          The node accepts tokens that are signed with its own keys.
        </Empty>
      ) : (
        <Table
          caption="Identity providers"
          columns={columns}
          rows={value}
          keyOf={({ identityProviderId }) => identityProviderId}
        />
      )}
      {edited.value !== undefined && (
        <EditProvider
          provider={edited.value}
          onClose={() => {
            edited.value = undefined
            changes.value += 1
          }}
        />
      )}
    </>
  )
}

function EditProvider({ provider, onClose }: { readonly provider: IdentityProvider; readonly onClose: () => void }) {
  const isNew = provider === blank
  const fields = useSignal(provider)
  const set = (change: Partial<IdentityProvider>) => {
    fields.value = { ...fields.value, ...change }
  }
  const { identityProviderId, issuer, jwksUrl, audience, isDeactivated } = fields.value
  return (
    <FormDialog
      title={isNew ? 'New identity provider' : `Edit ${identityProviderId}`}
      action={isNew ? 'Create' : 'Save'}
      isIncomplete={[identityProviderId, issuer, jwksUrl].some((text) => text.trim() === '')}
      onSubmit={() => (isNew ? createProvider(fields.value) : updateProvider(fields.value))}
      onClose={onClose}
    >
      {isNew && (
        <TextField label="Id" value={identityProviderId} onInput={(text) => set({ identityProviderId: text })} />
      )}
      <TextField
        label="Issuer"
        value={issuer}
        note="The claim iss of its tokens"
        onInput={(text) => set({ issuer: text })}
      />
      <TextField
        label="URL of its keys"
        value={jwksUrl}
        placeholder="https://…/jwks.json"
        onInput={(text) => set({ jwksUrl: text })}
      />
      <TextField
        label="Audience"
        value={audience}
        note="The claim aud that its tokens must have; empty for any"
        onInput={(text) => set({ audience: text })}
      />
      <CheckField
        label="Deactivated: its tokens are refused"
        isChecked={isDeactivated}
        onChange={(next) => set({ isDeactivated: next })}
      />
    </FormDialog>
  )
}
