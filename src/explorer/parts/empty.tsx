// What a list shows when it has nothing to show.
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

type Props = { readonly icon: IconName; readonly title: string; readonly children?: ComponentChildren }

export function Empty({ icon, title, children }: Props) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      {children && <div class="faint">{children}</div>}
    </div>
  )
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Reading {what}…
    </p>
  )
}
