// Creates a contract: first its template, then the form of its fields.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { get } from '../api/client.ts'
import { Empty, Loading } from '../parts/empty.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Picker } from '../parts/picker.tsx'
import { Problem } from '../parts/problem.tsx'
import { kindOptions } from '../parts/template-options.tsx'
import { useLoaded } from '../state/loading.ts'
import { query, setQuery } from '../state/location.ts'
import { type PackageTypes, partsOf, templateIn } from '../state/packages.ts'
import { takeRetry } from '../state/retries.ts'
import { ActForm } from './act-form.tsx'

export function CreatePage() {
  const template = query.value.get('template') ?? ''
  return (
    <>
      <PageHead
        title={template === '' ? 'Create a contract' : `Create ${template.split(':').at(-1)}`}
        trail={[['Contracts', '/contracts']]}
        note={template === '' ? undefined : <span class="mono">{template}</span>}
      />
      {template === '' ? <ChooseTemplate /> : <Form key={template} template={template} />}
    </>
  )
}

function ChooseTemplate() {
  const text = useSignal('')
  return (
    <div class="filters">
      <Picker
        label="Template"
        value={text.value}
        placeholder="Package or template"
        find={async (wanted, signal) =>
          (await kindOptions(wanted, signal)).filter(({ value }) => !value.startsWith('interface '))
        }
        onInput={(next) => {
          text.value = next
        }}
        onPick={(picked) => setQuery({ template: picked })}
      />
    </div>
  )
}

function Form({ template }: { readonly template: string }) {
  const retry = useMemo(takeRetry, [])
  const { packageId: of, module, name } = partsOf(template.replace(/^#/, ''))
  const { value: types, error } = useLoaded(
    (signal) => get<PackageTypes>('/docs/types', { query: { package: of }, signal }),
    [of],
  ).value
  if (error !== undefined) return <Problem error={error} />
  if (types === undefined) return <Loading what="its fields" />
  const found = templateIn(types, `${types.packageId}:${module}:${name}`)
  if (found === undefined)
    return <Empty icon="box" title={`The package ${types.name} has no template ${module}:${name}`} />
  const before = retry !== undefined && 'CreateCommand' in retry.command ? retry.command.CreateCommand : undefined
  return (
    <ActForm
      action="Create"
      type={found.payload}
      types={types.types}
      initial={before?.createArguments}
      initialActAs={retry?.actAs}
      commandWith={(createArguments) => ({ CreateCommand: { templateId: template, createArguments } })}
    />
  )
}
