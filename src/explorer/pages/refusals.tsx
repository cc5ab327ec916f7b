// Refusals: submissions that were refused, or rejected at commit, as they come, each with its cause and its place in Daml.
import { useSignal } from '@preact/signals'
import type { Command } from '../api/acting.ts'
import { get } from '../api/client.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Parties, shortPlace, Time } from '../parts/names.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { Tree, type TreeNode } from '../parts/tree.tsx'
import { createPath, exercisePath } from '../state/act-paths.ts'
import { tryAgain } from '../state/kept-forms.ts'
import { ledgerEpoch } from '../state/ledger.ts'
import { useRegularReads } from '../state/live-reads.ts'
import { navigate, query, setQuery } from '../state/location.ts'
import { session } from '../state/session.ts'

export type Rejection = {
  readonly number: number
  readonly at: string
  readonly userId: string
  readonly commandId: string
  readonly actAs: readonly string[]
  readonly commands?: readonly Command[] | null
  readonly code: string
  readonly cause: string
  readonly where: {
    readonly choice?: string | null
    readonly definition?: string | null
    readonly location?: string | null
    readonly exercises: readonly string[]
  }
  readonly traces: readonly string[]
  readonly hint?: string | null
}

const shownMax = 100
const pauseMs = 1_000

export function RefusalsPage() {
  const shown = useSignal<readonly Rejection[] | undefined>(undefined)
  const problem = useSignal<unknown>(undefined)
  useRegularReads(
    async (signal) => {
      try {
        const all = await get<Rejection[]>('/dev/rejections', { signal })
        problem.value = undefined
        if (shown.peek()?.[0]?.number !== all.at(-1)?.number || shown.peek() === undefined) {
          shown.value = all.slice(-shownMax).reverse()
        }
      } catch (error) {
        if (!signal.aborted) problem.value = error
      }
    },
    pauseMs,
    [ledgerEpoch.value],
  )
  const code = query.value.get('code') ?? ''
  const rows = shown.value?.filter((rejection) => code === '' || rejection.code === code)
  const isOfCode = code !== ''
  return (
    <>
      <PageHead title="Refusals" note="Submissions that the node refused or rejected, newest first">
        {isOfCode && (
          <Button icon="close" onClick={() => setQuery({ code: undefined })}>
            Only {code}
          </Button>
        )}
      </PageHead>
      {problem.value !== undefined && <Problem error={problem.value} />}
      {rows === undefined ? (
        problem.value === undefined && <Loading what="refusals" />
      ) : rows.length === 0 ? (
        <Empty
          icon="check"
          title={isOfCode ? `No refusal that is remembered has the code ${code}` : 'Nothing was refused'}
        />
      ) : (
        <section class="panel">
          <div class="panel-body">
            <Tree label="Refusals" nodes={rows.map(nodeOf)} />
          </div>
        </section>
      )}
    </>
  )
}

function nodeOf(rejection: Rejection): TreeNode {
  const { number, at, userId, code, commands } = rejection
  return {
    key: String(number),
    label: `${code} of ${userId}`,
    children: [],
    isOpen: false,
    head: (
      <>
        <Time iso={at} />
        <Badge kind="danger">{code}</Badge>
        <span>{commands?.map(commandText).join(', ')}</span>
        <span class="faint">{userId}</span>
      </>
    ),
    folded: <span class="faint one-line">{rejection.cause}</span>,
    body: <Details rejection={rejection} />,
  }
}

function Details({ rejection }: { readonly rejection: Rejection }) {
  const { cause, hint, commandId, actAs, where, traces, commands } = rejection
  const only = commands?.length === 1 ? commands[0]! : undefined
  const again = only && pathFor(only)
  return (
    <div class="stack">
      <p class="cause">{cause}</p>
      {hint && <p class="hint">{hint}</p>}
      <Facts
        facts={[
          where.definition ? ['Definition', <Mono key="text" text={where.definition} />] : false,
          where.location ? ['Place', <Mono key="text" text={where.location} />] : false,
          where.exercises.length > 0 && [
            'Exercises',
            <Mono key="text" text={where.exercises.map(shortPlace).join(' ← ')} />,
          ],
          ['Acting', <Parties key="parties" ids={actAs} />],
          ['Command', <Mono key="text" text={commandId} />],
          traces.length > 0 && ['Traces', <pre key="text">{traces.join('\n')}</pre>],
        ]}
      />
      <div class="row">
        {again !== undefined && session.value.actsAs.length > 0 && (
          <Button
            icon="undo"
            onClick={() => {
              tryAgain({ command: only!, actAs })
              navigate(again)
            }}
          >
            Try again
          </Button>
        )}
        {commands && (
          <CopyButton label="JSON" what="the commands" text={() => JSON.stringify({ actAs, commands }, null, 2)} />
        )}
      </div>
    </div>
  )
}

function Mono({ text }: { readonly text: string }) {
  return <span class="mono">{text}</span>
}

function commandText(command: Command): string {
  if ('CreateCommand' in command) return `create ${nameOf(command.CreateCommand.templateId)}`
  if ('ExerciseCommand' in command) return command.ExerciseCommand.choice
  return Object.keys(command)[0] ?? ''
}

const nameOf = (templateId: string): string => templateId.split(':').at(-1)!

/** Forms exist for single creates and exercises. */
function pathFor(command: Command): string | undefined {
  if ('CreateCommand' in command) return createPath(command.CreateCommand.templateId)
  if (!('ExerciseCommand' in command)) return undefined
  const { templateId, contractId, choice } = command.ExerciseCommand
  return exercisePath(templateId, contractId, choice)
}
