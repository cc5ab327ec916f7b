// One package: where it is vetted, its templates and interfaces with their choices, and a picture of what creates what.
import { useSignal } from '@preact/signals'
import { get } from '../api/client.ts'
import { readSynchronizers } from '../api/ledger-reads.ts'
import { readPackages, setVetted } from '../api/packages.ts'
import { CopyIcon } from '../parts/copy.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { CheckField } from '../parts/fields.tsx'
import { hintOf, shortId } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { query, setQuery } from '../state/location.ts'
import type { PackageTypes } from '../state/packages.ts'
import type { PageProps } from '../state/page.ts'
import { session } from '../state/session.ts'
import { toast, toastError } from '../state/toasts.ts'
import { PackageGraph } from './package-graph.tsx'
import { PackageTemplates } from './package-templates.tsx'

type View = 'templates' | 'graph'

export function PackagePage({ params }: PageProps) {
  const id = params.id!
  const { value: types, error } = useLoaded(
    (signal) => get<PackageTypes>('/docs/types', { query: { package: id }, signal }),
    [id, ledgerEpoch.value],
  ).value
  const title = types === undefined ? shortId(id) : `${types.name} ${types.version}`
  const view: View = query.value.get('view') === 'graph' ? 'graph' : 'templates'
  return (
    <>
      <PageHead title={title} trail={[['Packages', '/packages']]}>
        <Tabs
          label="View"
          value={view}
          options={[
            ['templates', 'Templates'],
            ['graph', 'Graph'],
          ]}
          onChange={(next) => setQuery({ view: next === 'graph' ? next : undefined })}
        />
      </PageHead>
      <div class="stack">
        <section class="panel">
          <div class="panel-body">
            <Facts
              facts={[
                [
                  'Id',
                  <span key="id" class="id">
                    <span class="mono">{id}</span>
                    <CopyIcon text={id} what="the package id" />
                  </span>,
                ],
                ['Vetted on', <VettedOn key="vetted" packageId={id} />],
              ]}
            />
          </div>
        </section>
        {error !== undefined && <Problem error={error} />}
        {types === undefined && error === undefined && <Loading what="its types" />}
        {types !== undefined &&
          (types.templates.length + types.interfaces.length === 0 ? (
            <Empty icon="box" title="This package has no templates and no interfaces">
              Others use its types and functions.
            </Empty>
          ) : view === 'graph' ? (
            <PackageGraph types={types} />
          ) : (
            <PackageTemplates types={types} />
          ))}
      </div>
    </>
  )
}

function VettedOn({ packageId }: { readonly packageId: string }) {
  const changes = useSignal(0)
  const { value, error } = useLoaded(
    async (signal) => {
      const synchronizers = await readSynchronizers(signal)
      const row = (await readPackages(signal)).find((one) => one.packageId === packageId)
      return synchronizers.map(({ synchronizerId }) => ({
        synchronizerId,
        isVetted: row?.vettedOn.includes(synchronizerId) ?? false,
      }))
    },
    [packageId, changes.value, ledgerEpoch.value],
  ).value
  if (error !== undefined) return <span class="faint">{(error as Error).message}</span>
  if (value === undefined) return <span class="faint">…</span>
  if (!session.value.isAdmin) {
    const names = value.filter(({ isVetted }) => isVetted).map(({ synchronizerId }) => hintOf(synchronizerId))
    return <span>{names.join(', ') || 'no synchronizer'}</span>
  }
  return (
    <div class="links">
      {value.map(({ synchronizerId, isVetted }) => (
        <CheckField
          key={synchronizerId}
          label={hintOf(synchronizerId)}
          isChecked={isVetted}
          onChange={(next) =>
            void setVetted(packageId, synchronizerId, next)
              .then(() => toast(`${next ? 'Vetted' : 'No longer vetted'} on ${hintOf(synchronizerId)}`), toastError)
              .finally(() => {
                changes.value += 1
              })
          }
        />
      ))}
    </div>
  )
}
