// The method of an operation, coloured by what it may do.
import type { Method } from '../api/api-document.ts'
import { Badge, type BadgeKind } from './badge.tsx'

const kinds: Readonly<Record<Method, BadgeKind>> = {
  GET: 'exercise',
  POST: 'create',
  PATCH: 'archive',
  DELETE: 'danger',
}

export function MethodBadge({ method }: { readonly method: Method }) {
  return <Badge kind={kinds[method]}>{method}</Badge>
}
