// Exercises a choice of a contract: the form of its argument.
import { get } from '../api/client.ts'
import { requiredActors } from '../api/required-actors.ts'
import { Empty, Loading } from '../parts/empty.tsx'
import { ContractLink } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { exerciseFormKey } from '../state/kept-forms.ts'
import { useLoaded } from '../state/loading.ts'
import { query } from '../state/location.ts'
import { choiceIn, type PackageTypes, partsOf } from '../state/packages.ts'
import { ActForm } from './act-form.tsx'
import { fieldsOf, KnownContract, useContract } from './known-contract.tsx'

export function ExercisePage() {
  const owner = query.value.get('template') ?? ''
  const contractId = query.value.get('contract') ?? ''
  const choice = query.value.get('choice') ?? ''
  return (
    <>
      <PageHead
        title={`Exercise ${choice}`}
        trail={[['Contracts', '/contracts']]}
        note={
          <>
            <span class="mono">{owner}</span> <ContractLink id={contractId} />
            <span class="faint-value">
              <KnownContract contractId={contractId} />
            </span>
          </>
        }
      />
      <Form key={`${owner} ${contractId} ${choice}`} owner={owner} contractId={contractId} choice={choice} />
    </>
  )
}

type Props = { readonly owner: string; readonly contractId: string; readonly choice: string }

function Form({ owner, contractId, choice }: Props) {
  const { packageId: of, module, name } = partsOf(owner.replace(/^#/, ''))
  const { value: types, error } = useLoaded(
    (signal) => get<PackageTypes>('/docs/types', { query: { package: of }, signal }),
    [of],
  ).value
  const ownerId = types && `${types.packageId}:${module}:${name}`
  const isInterface = types?.interfaces.some(({ id }) => id === ownerId) ?? false
  const { value: contract } = useContract(types === undefined ? '' : contractId, isInterface ? owner : undefined).value
  if (error !== undefined) return <Problem error={error} />
  if (types === undefined) return <Loading what="the choice" />
  const found = choiceIn(types, ownerId!, choice)
  if (found === undefined) return <Empty icon="box" title={`${module}:${name} has no choice ${choice}`} />
  const { controllers } = found
  const sources = {
    contract: contract?.createArgument,
    view: contract?.interfaceViews?.[0]?.viewValue,
    signatories: contract?.signatories,
  }
  return (
    <ActForm
      action={choice}
      type={found.argument}
      types={types.types}
      formKey={exerciseFormKey(owner, contractId, choice)}
      actorsFor={(argument) => requiredActors(controllers, { ...sources, argument })}
      actorFields={fieldsOf(controllers, false)}
      commandWith={(choiceArgument) => ({
        ExerciseCommand: { templateId: owner, contractId, choice, choiceArgument },
      })}
    />
  )
}
