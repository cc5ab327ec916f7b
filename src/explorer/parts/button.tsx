// Buttons: one look for all actions, with words for those that show only an icon.
import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

type Props = {
  readonly onClick?: (event: MouseEvent) => void
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly icon?: IconName
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  readonly title?: string
  readonly pressed?: boolean
  /** For readers who do not see to what it belongs; begins with its text. */
  readonly label?: string
  readonly children: ComponentChildren
}

export function Button({ kind = 'plain', icon, type = 'button', pressed, label, children, ...rest }: Props) {
  return (
    <button
      type={type}
      class={`button ${kind}`}
      {...rest}
      {...(pressed !== undefined && { 'aria-pressed': pressed })}
      {...(label !== undefined && { 'aria-label': label })}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  )
}

type IconButtonProps = {
  readonly icon: IconName
  /** What it does, for readers who do not see it. */
  readonly label: string
  readonly onClick: (event: MouseEvent) => void
  readonly disabled?: boolean
  readonly expanded?: boolean
}

export function IconButton({ icon, label, expanded, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class="button quiet only-icon"
      aria-label={label}
      title={label}
      {...rest}
      {...(expanded !== undefined && { 'aria-expanded': expanded })}
    >
      <Icon name={icon} />
    </button>
  )
}
