// What can be done with a contract: the choices of its template and of the interfaces that this implements.
import type { CreatedEvent } from '../api/wire.ts'
import { Badge } from '../parts/badge.tsx'
import { Link } from '../parts/link.tsx'
import { exercisePath } from '../state/act-paths.ts'
import {
  type ChoiceTypes,
  type PackageTypes,
  partsOf,
  referenceIn,
  referenceTo,
  templateIn,
  typesOfPackage,
} from '../state/packages.ts'
import { session } from '../state/session.ts'

type Owned = { readonly owner: string; readonly ownerName: string; readonly choice: ChoiceTypes }

export function ContractChoices({ event, isActive }: { readonly event: CreatedEvent; readonly isActive: boolean }) {
  const types = typesOfPackage(partsOf(event.templateId).packageId)
  const mayAct = isActive && session.value.actsAs.length > 0
  return (
    <section class="panel" aria-label="Choices">
      <h2>Choices</h2>
      <ul class="panel-body choices">
        {choicesOf(types, event).map(({ owner, ownerName, choice }) => (
          <li key={`${owner} ${choice.name}`}>
            {mayAct ? (
              <Link to={exercisePath(owner, event.contractId, choice.name)}>{choice.name}</Link>
            ) : (
              <span>{choice.name}</span>
            )}
            {choice.consuming && <Badge kind="archive">archives</Badge>}
            {ownerName !== '' && <span class="faint">of {ownerName}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function choicesOf(types: PackageTypes | undefined, { templateId, packageName }: CreatedEvent): Owned[] {
  const template = templateIn(types, templateId)
  if (types === undefined || template === undefined) return []
  const own = template.choices.map((choice) => ({ owner: referenceTo(templateId, packageName), ownerName: '', choice }))
  const inherited = types.interfaces
    .filter(({ id }) => template.implements.includes(id))
    .flatMap(({ id, choices }) =>
      choices.map((choice) => ({ owner: referenceIn(types, id), ownerName: partsOf(id).name, choice })),
    )
  // Every interface has Archive, too; that of the template is enough.
  return [...own, ...inherited.filter(({ choice }) => choice.name !== 'Archive')]
}
