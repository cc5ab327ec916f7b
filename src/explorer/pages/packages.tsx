// Packages: names, versions and where they are vetted. Drop a DAR anywhere on the page to upload it.
import { useSignal } from '@preact/signals'
import { type PackageRow, readPackages } from '../api/packages.ts'
import { Badge } from '../parts/badge.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { CheckField, TextField } from '../parts/fields.tsx'
import { Link } from '../parts/link.tsx'
import { Synchronizer, shortId } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { pathTo, query, setQuery } from '../state/location.ts'
import { session } from '../state/session.ts'
import { DarUpload } from './dar-upload.tsx'

const rowsShown = 200
const isLibrary = /^(daml-(prim|stdlib)|ghc-stdlib)/

const columns: readonly Column<PackageRow>[] = [
  {
    name: 'name',
    title: 'Package',
    show: ({ packageId, name }) => <Link to={pathTo('packages', packageId)}>{name || shortId(packageId)}</Link>,
  },
  { name: 'version', title: 'Version', show: ({ version }) => version },
  {
    name: 'vetted',
    title: 'Vetted on',
    show: ({ vettedOn }) =>
      vettedOn.length === 0 ? (
        <Badge kind="archive">nowhere</Badge>
      ) : (
        <span class="vetted-on">
          {vettedOn.map((id) => (
            <Badge key={id}>
              <Synchronizer id={id} />
            </Badge>
          ))}
        </span>
      ),
  },
  {
    name: 'id',
    title: 'Id',
    isWide: true,
    show: ({ packageId }) => <span class="mono">{packageId}</span>,
  },
]

export function PackagesPage() {
  const uploads = useSignal(0)
  const { value, error } = useLoaded((signal) => readPackages(signal), [uploads.value, ledgerEpoch.value]).value
  const wanted = query.value.get('name') ?? ''
  const withLibraries = query.value.has('libraries')
  const rows = (value ?? []).filter(
    ({ name, packageId }) =>
      (withLibraries || !isLibrary.test(name)) && (name.includes(wanted) || packageId.startsWith(wanted)),
  )
  return (
    <>
      <PageHead title="Packages" note="The Daml models of this ledger" />
      {session.value.isAdmin && (
        <DarUpload
          onUploaded={() => {
            uploads.value += 1
          }}
        />
      )}
      <div class="filters">
        <TextField
          label="Name contains, or id begins with"
          type="search"
          value={wanted}
          onInput={(text) => setQuery({ name: text.trim() })}
        />
        <CheckField
          label="With the standard library"
          isChecked={withLibraries}
          onChange={(next) => setQuery({ libraries: next ? 'yes' : undefined })}
        />
      </div>
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="packages" />
      ) : rows.length === 0 ? (
        <Empty icon="box" title="No such package" />
      ) : (
        <Table
          caption="Packages"
          columns={columns}
          rows={rows.slice(0, rowsShown)}
          keyOf={({ packageId }) => packageId}
          linkOf={({ packageId }) => pathTo('packages', packageId)}
        />
      )}
      {rows.length > rowsShown && <p class="faint">{rows.length - rowsShown} more: search by name</p>}
    </>
  )
}
