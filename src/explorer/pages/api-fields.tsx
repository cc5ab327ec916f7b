// The fields of a schema with their descriptions; those with fields of their own unfold.
import { useSignal } from '@preact/signals'
import { type Field, fieldsOf, type Schema, type Schemas, typeText } from '../api/api-document.ts'
import { Badge } from '../parts/badge.tsx'
import { Icon } from '../parts/icon.tsx'

type Props = { readonly schema: Schema; readonly schemas: Schemas }

/** A package may have thousands of choices. */
const fieldsShown = 100

export function SchemaFields({ schema, schemas }: Props) {
  const type = typeText(schema, schemas)
  const fields = fieldsOf(schema, schemas)
  if (fields.length === 0) return <p class="faint">{type === 'object' ? 'No fields' : type}</p>
  return (
    <>
      {type !== 'object' && <p class="faint">{type}</p>}
      <ul class="schema-fields">
        {fields.slice(0, fieldsShown).map((field) => (
          <SchemaField key={field.name} field={field} schemas={schemas} />
        ))}
      </ul>
      {fields.length > fieldsShown && <p class="faint">and {fields.length - fieldsShown} more</p>}
    </>
  )
}

function SchemaField({ field, schemas }: { readonly field: Field; readonly schemas: Schemas }) {
  const { name, type, description, values, inner } = field
  const isOpen = useSignal(false)
  return (
    <li>
      <p class="schema-field">
        {inner !== undefined && (
          <button
            type="button"
            class="twist"
            aria-expanded={isOpen.value}
            aria-label={`Fields of ${name}`}
            onClick={() => {
              isOpen.value = !isOpen.value
            }}
          >
            <Icon name="chevron" />
          </button>
        )}
        <code>{name}</code>
        <span class="faint">{type}</span>
        <FieldMarks isRequired={field.isRequired} isDeprecated={field.isDeprecated} />
      </p>
      {description !== '' && <p class="faint">{description}</p>}
      {values.length > 0 && <p class="mono">{values.join(' | ')}</p>}
      {isOpen.value && inner !== undefined && <SchemaFields schema={inner} schemas={schemas} />}
    </li>
  )
}

type MarkProps = { readonly isRequired: boolean; readonly isDeprecated: boolean }

export function FieldMarks({ isRequired, isDeprecated }: MarkProps) {
  return (
    <>
      {isRequired && <Badge kind="accent">required</Badge>}
      {isDeprecated && <Badge kind="archive">deprecated</Badge>}
    </>
  )
}
