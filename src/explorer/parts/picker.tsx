// A field that finds something while one types: parties, contracts, templates. A combobox, as ARIA describes it.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

export type Option = { readonly value: string; readonly words: ComponentChildren }

type Props = {
  readonly label: string
  /** Whether the label is only for readers who do not see the field. */
  readonly isLabelHidden?: boolean
  readonly value: string
  readonly placeholder?: string
  /** Called a moment after typing; its signal ends with the next key. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Option[]>
  readonly onInput: (text: string) => void
  readonly onPick: (value: string) => void
  readonly inputId?: string
  /** What to say if a text finds nothing. */
  readonly nothing?: string
}

const pauseMs = 150

export function Picker({ label, isLabelHidden, value, placeholder, find, onInput, onPick, inputId, nothing }: Props) {
  const ownId = useId()
  const id = inputId ?? ownId
  const options = useSignal<readonly Option[]>([])
  const chosen = useSignal(-1)
  const isOpen = useSignal(false)
  const isInVain = useSignal(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const finding = useRef<AbortController>(undefined)
  useEffect(() => () => finding.current?.abort(), [])

  function look(text: string): void {
    clearTimeout(timer.current)
    finding.current?.abort()
    const controller = new AbortController()
    finding.current = controller
    timer.current = setTimeout(() => {
      find(text, controller.signal).then(
        (found) => {
          if (controller.signal.aborted) return
          options.value = found
          chosen.value = -1
          isOpen.value = found.length > 0
          isInVain.value = found.length === 0 && text.trim() !== ''
        },
        () => undefined,
      )
    }, pauseMs)
  }

  function pick(index: number): void {
    const option = options.value[index]
    isOpen.value = false
    clearTimeout(timer.current)
    finding.current?.abort()
    if (option !== undefined) onPick(option.value)
    else onPick(value)
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { length } = options.value
    if (event.key === 'ArrowDown' && isOpen.value) chosen.value = Math.min(chosen.value + 1, length - 1)
    else if (event.key === 'ArrowUp' && isOpen.value) chosen.value = Math.max(chosen.value - 1, -1)
    else if (event.key === 'Enter') pick(isOpen.value ? chosen.value : -1)
    else if (event.key === 'Escape' && isOpen.value) isOpen.value = false
    else return
    event.preventDefault()
  }

  const isShown = isOpen.value
  return (
    <div class="field picker">
      <label for={id} class={isLabelHidden ? 'unseen' : undefined}>
        {label}
      </label>
      <input
        id={id}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        type="text"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-options`}
        aria-autocomplete="list"
        {...(isShown && chosen.value >= 0 && { 'aria-activedescendant': `${id}-${chosen.value}` })}
        onInput={(event) => {
          isInVain.value = false
          onInput(event.currentTarget.value)
          look(event.currentTarget.value)
        }}
        onFocus={() => look(value)}
        onBlur={() => {
          isOpen.value = false
          isInVain.value = false
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-options`} role="listbox" aria-label={label} class="options" hidden={!isShown}>
        {options.value.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the input, which keeps the focus.
          <div
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen.value}
            tabIndex={-1}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(index)}
          >
            {option.words}
          </div>
        ))}
      </div>
      {nothing !== undefined && (
        <p role="status" class="options faint" hidden={!isInVain.value}>
          {isInVain.value && nothing}
        </p>
      )}
    </div>
  )
}
