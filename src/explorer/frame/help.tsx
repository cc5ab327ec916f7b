// The list of keyboard shortcuts.
import { Dialog } from '../parts/dialog.tsx'
import { isHelpShown, shortcuts } from '../state/shortcuts.ts'

export function Help() {
  if (!isHelpShown.value) return null
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={() => {
        isHelpShown.value = false
      }}
    >
      <dl class="keys">
        {shortcuts.value.map(({ keys, words }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
