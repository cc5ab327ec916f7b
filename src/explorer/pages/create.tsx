// Creates a contract: first its template, then the form of its fields.
import { useSignal } from '@preact/signals'
import { get } from '../api/client.ts'
import { requiredActors } from '../api/required-actors.ts'
import { Empty, Loading } from '../parts/empty.tsx'
import { templateOptions } from '../parts/name-options.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Picker } from '../parts/picker.tsx'
import { Problem } from '../parts/problem.tsx'
import { createPath } from '../state/act-paths.ts'
import { createFormKey } from '../state/kept-forms.ts'
import { useLoaded } from '../state/loading.ts'
import { navigate, query, setQuery } from '../state/location.ts'
import { type PackageTypes, partsOf, templateIn } from '../state/packages.ts'
import { ActForm } from './act-form.tsx'
import { fieldsOf, useContract } from './known-contract.tsx'

export function CreatePage() {
  const template = query.value.get('template') ?? ''
  const like = query.value.get('like') ?? ''
  return (
    <>
      <PageHead
        title={template === '' ? 'Create a contract' : `Create ${template.split(':').at(-1)}`}
        trail={[['Contracts', '/contracts']]}
        note={template === '' ? undefined : <span class="mono">{template}</span>}
      />
      {template === '' ? <ChooseTemplate /> : <Form key={`${template} ${like}`} template={template} like={like} />}
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
        placeholder="Template or package"
        find={templateOptions}
        isOnlyFound
        onInput={(next) => {
          text.value = next
        }}
        onPick={(picked) => setQuery({ template: picked })}
      />
    </div>
  )
}

function Form({ template, like }: { readonly template: string; readonly like: string }) {
  const { packageId: of, module, name } = partsOf(template.replace(/^#/, ''))
  const { value: types, error } = useLoaded(
    (signal) => get<PackageTypes>('/docs/types', { query: { package: of }, signal }),
    [of],
  ).value
  const model = useContract(like).value
  if (error !== undefined) return <Problem error={error} />
  if (types === undefined || model.isLoading) return <Loading what="its fields" />
  const found = templateIn(types, `${types.packageId}:${module}:${name}`)
  if (found === undefined)
    return <Empty icon="box" title={`The package ${types.name} has no template ${module}:${name}`} />
  const { signatories } = found
  return (
    <ActForm
      action="Create"
      type={found.payload}
      types={types.types}
      formKey={createFormKey(template, like)}
      initial={model.value?.createArgument}
      actorsFor={(contract) => requiredActors(signatories, { contract })}
      actorFields={fieldsOf(signatories, true)}
      again={{ words: 'Another like this', run: () => navigate(createPath(template, like)) }}
      commandWith={(createArguments) => ({ CreateCommand: { templateId: template, createArguments } })}
    />
  )
}
