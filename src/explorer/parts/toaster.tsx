// Shows what state/toasts.ts holds, and tells screen readers.
import { dismiss, toasts } from '../state/toasts.ts'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

export function Toaster() {
  return (
    <div class="toaster" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text, action }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'alert'} />
          <span>{text}</span>
          {action && (
            <Button
              kind="quiet"
              onClick={() => {
                dismiss(id)
                action.run()
              }}
            >
              {action.words}
            </Button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
