// Tries an operation with the reader's token: parameters, a body that begins with an example, and the answer.
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { type Api, filledPath, losesSomething, type Operation, parsed } from '../api/api-document.ts'
import { exchange } from '../api/client.ts'
import { exampleOf } from '../api/schema-example.ts'
import { curlOf, type RequestToShow, typescriptOf } from '../api/snippets.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { CheckField, Field, SelectField, TextField } from '../parts/fields.tsx'
import { Problem } from '../parts/problem.tsx'
import { knownValues } from '../state/api-examples.ts'
import { confirm } from '../state/confirmation.ts'
import { ledgerReplaced, refreshLedgerEnd } from '../state/ledger.ts'
import { type Answer, AnswerPanel, answerFrom } from './api-answer.tsx'

const rowsMax = 24
const replacesLedger = /^\/dev\/(reset$|snapshots\/[^/]+\/restore$)/

export function TryIt({ api, operation }: { readonly api: Api; readonly operation: Operation }) {
  const { method, path, parameters } = operation
  const body = operation.body
  const isJson = body !== undefined && !body.isBytes
  const known = useMemo(() => knownValues(), [])
  const values = useSignal<ReadonlyMap<string, string>>(
    useMemo(() => new Map(parameters.flatMap(({ name }) => firstValue(name, known))), []),
  )
  const choices = useSignal<ReadonlyMap<string, number>>(new Map())
  const withOptional = useSignal(false)
  const example = isJson
    ? exampleOf(body.schema, api.schemas, { known, choices: choices.value, withOptional: withOptional.value })
    : undefined
  const exampleText = example === undefined ? '' : JSON.stringify(example.value, null, 2)
  const text = useSignal(exampleText)
  // Before the page can be used: later it would replace what somebody has typed.
  useLayoutEffect(() => {
    text.value = exampleText
  }, [exampleText])
  const file = useRef<HTMLInputElement>(null)
  const answer = useSignal<{ readonly value?: Answer; readonly error?: unknown; readonly isSending?: boolean }>({})

  const { value: content, error: textError } = isJson ? parsed(text.value) : {}
  const isMissing = parameters.some(({ name, required }) => required === true && !values.value.get(name)?.trim())
  const target = filledPath(operation, values.value)
  const request: RequestToShow = { method, path: target, ...(content !== undefined && { body: content }) }

  async function send(): Promise<void> {
    const isDangerous = losesSomething(method, path)
    const question = { title: `${method} ${path}`, text: `Something may be lost: ${operation.summary}.` }
    if (isDangerous && !(await confirm({ ...question, action: 'Send', isDangerous }))) return
    answer.value = { isSending: true }
    try {
      const bytes = body?.isBytes ? (file.current?.files?.[0] ?? new Blob()) : undefined
      const startedMs = performance.now()
      const response = await exchange(method, target, { body: bytes ?? content })
      answer.value = { value: await answerFrom(response, startedMs) }
      if (response.ok && replacesLedger.test(path)) ledgerReplaced()
      await refreshLedgerEnd()
    } catch (error) {
      answer.value = { error }
    }
  }

  return (
    <>
      <form
        class="panel"
        aria-label="Try it"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isMissing && textError === undefined && !answer.peek().isSending) void send()
        }}
      >
        <h2>Try it</h2>
        <div class="panel-body stack">
          {parameters.map(({ name, description, required }) => (
            <TextField
              key={name}
              label={required ? `${name} (required)` : name}
              note={description}
              value={values.value.get(name) ?? ''}
              onInput={(next) => {
                values.value = new Map([...values.value, [name, next]])
              }}
            />
          ))}
          {body?.isBytes && <Field label="File">{(ids) => <input {...ids} type="file" ref={file} />}</Field>}
          {example?.decisions.map(({ path: place, options, chosen }) =>
            options.length < 2 ? null : (
              <SelectField
                key={place}
                label={`Example of ${place === '' ? 'the body' : place}`}
                value={String(chosen)}
                options={options.map((label, index) => [String(index), label] as const)}
                onChange={(index) => {
                  choices.value = new Map([...choices.value, [place, Number(index)]])
                }}
              />
            ),
          )}
          {isJson && (
            <>
              <CheckField
                label="With optional fields"
                isChecked={withOptional.value}
                onChange={(next) => {
                  withOptional.value = next
                }}
              />
              <TextField
                label="Body"
                isMono
                rows={Math.min(rowsMax, Math.max(4, text.value.split('\n').length + 1))}
                value={text.value}
                error={textError}
                onInput={(next) => {
                  text.value = next
                }}
              />
            </>
          )}
          <div class="row">
            <Button
              kind={losesSomething(method, path) ? 'danger' : 'primary'}
              icon="send"
              type="submit"
              disabled={isMissing || textError !== undefined || answer.value.isSending === true}
            >
              Send
            </Button>
            <CopyButton label="curl" what="the request as curl" text={() => curlOf(request, location.origin)} />
            <CopyButton
              label="TypeScript"
              what="the request as TypeScript"
              text={() => typescriptOf(request, location.origin)}
            />
          </div>
        </div>
      </form>
      <div aria-live="polite">
        {answer.value.error !== undefined && <Problem error={answer.value.error} />}
        {answer.value.value !== undefined && <AnswerPanel answer={answer.value.value} />}
      </div>
    </>
  )
}

/** A parameter of the path that the reader most likely means. */
function firstValue(name: string, known: ReturnType<typeof knownValues>): [string, string][] {
  const value = known.get(name === 'user-id' ? 'userId' : name)
  return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : []
}
