// Copies a text, which may be made only when somebody asks for it.
import { toast, toastError } from '../state/toasts.ts'
import { Button, IconButton } from './button.tsx'

type Props = { readonly text: string | (() => string); readonly what: string }

/** Browsers have no clipboard for pages of another machine without TLS; these copy what is selected. */
async function write(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  const focused = document.activeElement
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!isCopied) throw new Error('The browser did not copy it')
}

async function copy({ text, what }: Props): Promise<void> {
  try {
    await write(typeof text === 'string' ? text : text())
    toast(`Copied ${what}`)
  } catch (error) {
    toastError(error)
  }
}

/** A small icon beside what it copies. */
export function CopyIcon(props: Props) {
  return <IconButton icon="copy" label={`Copy ${props.what}`} onClick={() => void copy(props)} />
}

export function CopyButton({ label, ...props }: Props & { readonly label: string }) {
  return (
    <Button kind="quiet" icon="copy" onClick={() => void copy(props)}>
      {label}
    </Button>
  )
}
