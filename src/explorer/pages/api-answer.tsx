// The answer to a request that was tried: its status, how long it took, and its content.
import { parsed } from '../api/api-document.ts'
import { Badge } from '../parts/badge.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { bytesText } from '../parts/quantities.ts'

export type Answer = {
  readonly status: number
  readonly isSuccess: boolean
  readonly tookMs: number
  readonly bytes: number
  /** Undefined for bytes. */
  readonly text: string | undefined
  readonly hint: string | null
}

const shownMax = 200_000

/** Bytes stay out of the page's memory. */
export async function answerFrom(response: Response, startedMs: number): Promise<Answer> {
  const blob = await response.blob()
  const tookMs = performance.now() - startedMs
  const isText = /json|text/.test(response.headers.get('content-type') ?? 'text')
  return {
    status: response.status,
    isSuccess: response.ok,
    tookMs,
    bytes: blob.size,
    text: isText ? indented(await blob.text()) : undefined,
    hint: response.headers.get('tallystick-hint'),
  }
}

function indented(text: string): string {
  const { value } = parsed(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

export function AnswerPanel({ answer }: { readonly answer: Answer }) {
  const { status, isSuccess, tookMs, bytes, text, hint } = answer
  return (
    <section class="panel" aria-label="Answer of the node">
      <div class="panel-head">
        <h2>
          Answer <Badge kind={isSuccess ? 'accent' : 'danger'}>{status}</Badge>
        </h2>
        <span class="faint">
          {Math.round(tookMs)} ms, {bytesText(bytes)}
        </span>
      </div>
      <div class="panel-body stack">
        {hint !== null && <p>{hint}</p>}
        {text === undefined ? (
          <p class="faint">Bytes, which are not shown</p>
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys. */}
            <pre class="answer" tabIndex={0}>
              {text.slice(0, shownMax) || 'Nothing'}
            </pre>
            {text.length > shownMax && <p class="faint">Only the beginning is shown</p>}
            <div class="row">
              <CopyButton label="JSON" what="the answer" text={text} />
            </div>
          </>
        )}
      </div>
    </section>
  )
}
