// Values of contracts and choices, with the types of their package as soon as these are known.
import type { CreatedEvent, ExercisedEvent, InterfaceView } from '../api/wire.ts'
import { choiceIn, partsOf, templateIn, typesOfPackage } from '../state/packages.ts'
import { Value } from './value.tsx'

type ContractProps = {
  readonly event: Pick<CreatedEvent, 'templateId' | 'createArgument'>
  readonly isInline?: boolean
}

export function ContractFields({ event, isInline = false }: ContractProps) {
  const types = typesOfPackage(partsOf(event.templateId).packageId)
  const type = templateIn(types, event.templateId)?.payload
  return <Value value={event.createArgument} type={type} types={types?.types} isInline={isInline} />
}

export function ContractKey({ event }: { readonly event: CreatedEvent }) {
  const types = typesOfPackage(partsOf(event.templateId).packageId)
  return <Value value={event.contractKey} type={templateIn(types, event.templateId)?.key} types={types?.types} />
}

type ChoiceProps = {
  /** The template or interface that has the choice. */
  readonly owner: string
  readonly choice: string
  readonly event: Pick<ExercisedEvent, 'choiceArgument' | 'exerciseResult'>
  readonly which: 'argument' | 'result'
}

export function ChoiceValue({ owner, choice, event, which }: ChoiceProps) {
  const types = typesOfPackage(partsOf(owner).packageId)
  const type = choiceIn(types, owner, choice)?.[which]
  const value = which === 'argument' ? event.choiceArgument : event.exerciseResult
  return <Value value={value} type={type} types={types?.types} />
}

export function ViewFields({ view, isInline = false }: { readonly view: InterfaceView; readonly isInline?: boolean }) {
  const types = typesOfPackage(partsOf(view.interfaceId).packageId)
  const type = types?.interfaces.find(({ id }) => id === view.interfaceId)?.view
  if (view.viewStatus.code !== 0) return <span class="value none">{view.viewStatus.message}</span>
  return <Value value={view.viewValue} type={type} types={types?.types} isInline={isInline} />
}
