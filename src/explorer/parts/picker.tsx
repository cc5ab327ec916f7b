// A field that finds something while one types: parties, contracts, templates, places. A combobox, as ARIA describes it.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

export type Option = {
  readonly value: string
  readonly words: ComponentChildren
  /** Options of one kind follow each other, below its name. */
  readonly group?: string
}

type Props = {
  readonly label: string
  /** Whether the label is only for readers who do not see the field. */
  readonly isLabelHidden?: boolean
  readonly value: string
  readonly placeholder?: string
  /** Called a moment after typing; its signal ends with the next key. `soFar` shows what is found before the rest is. */
  readonly find: (
    text: string,
    signal: AbortSignal,
    soFar: (options: readonly Option[]) => void,
  ) => Promise<readonly Option[]>
  readonly onInput: (text: string) => void
  readonly onPick: (value: string) => void
  /** Whether only what is found can be picked: Enter then picks the first option, and waits for it. */
  readonly isOnlyFound?: boolean
  readonly inputId?: string
}

const pauseMs = 150

/** What became of the text: its options, or why there are none. */
type Finding =
  | { readonly kind: 'idle' | 'finding' | 'none' }
  | { readonly kind: 'found'; readonly options: readonly Option[]; readonly isAll: boolean }
  | { readonly kind: 'failed'; readonly reason: string }

export function Picker(props: Props) {
  const { label, isLabelHidden, value, placeholder, find, onInput, onPick, isOnlyFound = false } = props
  const ownId = useId()
  const id = props.inputId ?? ownId
  const finding = useSignal<Finding>({ kind: 'idle' })
  const chosen = useSignal(-1)
  const isOpen = useSignal(false)
  const pickWhenFound = useRef(false)
  /** How much of what the text finds is shown: nothing yet, what is found so far, or all. */
  const shown = useRef<'nothing' | 'some' | 'all'>('nothing')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const controller = useRef<AbortController>(undefined)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => stop, [])
  useEffect(() => {
    if (chosen.value >= 0) list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen.value])

  function stop(): void {
    clearTimeout(timer.current)
    controller.current?.abort()
    pickWhenFound.current = false
    shown.current = 'nothing'
  }

  function close(): void {
    stop()
    isOpen.value = false
    finding.value = { kind: 'idle' }
  }

  function look(text: string): void {
    stop()
    const own = new AbortController()
    controller.current = own
    finding.value = finding.peek().kind === 'found' ? finding.peek() : { kind: 'finding' }
    timer.current = setTimeout(() => {
      const show = (isAll: boolean) => (options: readonly Option[]) => {
        if (!own.signal.aborted) take(options, text, isAll)
      }
      find(text, own.signal, show(false)).then(show(true), (error) => {
        if (!own.signal.aborted) finding.value = { kind: 'failed', reason: (error as Error).message }
      })
    }, pauseMs)
  }

  function take(found: readonly Option[], text: string, isAll: boolean): void {
    const isAsked = text.trim() !== ''
    const before = finding.peek()
    const kept = before.kind === 'found' ? before.options[chosen.peek()]?.value : undefined
    if (found.length > 0) finding.value = { kind: 'found', options: found, isAll }
    else finding.value = { kind: !isAll ? 'finding' : isAsked ? 'none' : 'idle' }
    isOpen.value = true
    // What is chosen stays so when more is found for the same text.
    const first = isOnlyFound && isAsked ? 0 : -1
    const again = found.findIndex(({ value: of }) => of === kept)
    chosen.value = shown.current === 'nothing' || again < 0 ? first : again
    shown.current = isAll ? 'all' : 'some'
    if (pickWhenFound.current && found.length > 0) pick(found[0])
  }

  function pick(option: Option | undefined): void {
    close()
    onPick(option?.value ?? value)
  }

  function enter(): void {
    if (isShown && chosen.value >= 0 && shown.current !== 'nothing') pick(options[chosen.value])
    else if (!isOnlyFound) pick(undefined)
    else if (value.trim() !== '') pickWhenFound.current = true
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { length } = options
    if (event.key === 'ArrowDown' && isShown) chosen.value = (chosen.value + 1) % length
    else if (event.key === 'ArrowDown') look(value)
    else if (event.key === 'ArrowUp' && isShown) chosen.value = (Math.max(chosen.value, 0) + length - 1) % length
    else if (event.key === 'Enter') enter()
    else if (event.key === 'Escape' && (isShown || isSaid)) close()
    else return
    event.preventDefault()
  }

  const options = finding.value.kind === 'found' ? finding.value.options : []
  const isShown = isOpen.value && options.length > 0
  const words = isOpen.value || finding.value.kind === 'failed' ? wordsFor(finding.value) : undefined
  const isSaid = words !== undefined
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
          onInput(event.currentTarget.value)
          look(event.currentTarget.value)
        }}
        onFocus={() => look(value)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={`${id}-options`}
        role="listbox"
        aria-label={label}
        class={shown.current === 'nothing' ? 'options of-before' : 'options'}
        hidden={!isShown}
      >
        {inGroups(options).map(([group, own]) =>
          group === '' ? (
            own.map(option)
          ) : (
            // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, which are no fieldsets.
            <div key={group} role="group" aria-label={group} class="option-group">
              <p aria-hidden="true">{group}</p>
              {own.map(option)}
            </div>
          ),
        )}
        {finding.value.kind === 'found' && !finding.value.isAll && <p aria-hidden="true">Looking further…</p>}
      </div>
      <p role="status" class="options faint" hidden={!isSaid}>
        {words}
      </p>
    </div>
  )

  function option({ option: own, index }: Numbered) {
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the input, which keeps the focus.
      <div
        key={own.value}
        id={`${id}-${index}`}
        role="option"
        class="option"
        aria-selected={index === chosen.value}
        tabIndex={-1}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => pick(own)}
      >
        {own.words}
      </div>
    )
  }
}

function wordsFor(finding: Finding): string | undefined {
  if (finding.kind === 'none') return 'None found'
  return finding.kind === 'failed' ? `This could not be searched: ${finding.reason}` : undefined
}

type Numbered = { readonly option: Option; readonly index: number }

/** In the order in which the groups begin. */
function inGroups(options: readonly Option[]): [group: string, options: Numbered[]][] {
  const groups = new Map<string, Numbered[]>()
  for (const [index, option] of options.entries()) {
    const own = groups.get(option.group ?? '') ?? []
    own.push({ option, index })
    groups.set(option.group ?? '', own)
  }
  return [...groups]
}
