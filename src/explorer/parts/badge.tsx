// A small word that classifies something. Its colour repeats what the word says.
import type { ComponentChildren } from 'preact'

export type BadgeKind = 'create' | 'exercise' | 'archive' | 'move' | 'topology' | 'neutral' | 'danger' | 'accent'

export function Badge({
  kind = 'neutral',
  children,
}: {
  readonly kind?: BadgeKind
  readonly children: ComponentChildren
}) {
  return <span class={`badge ${kind}`}>{children}</span>
}
