// Daml Scripts of uploaded packages: run one on this ledger, and see what it returned, said and did.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { get } from '../api/client.ts'
import { takeSnapshot } from '../api/development.ts'
import { readScripts, runScript, type Script, type ScriptRun } from '../api/scripts.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { EnteredFields, HowToEnter, useEnteredValue } from '../parts/entered-value.tsx'
import { CheckField, SelectField } from '../parts/fields.tsx'
import { Link } from '../parts/link.tsx'
import { type Missing, MissingList } from '../parts/missing-list.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { scriptFormKey } from '../state/kept-forms.ts'
import { ledgerEpoch, refreshLedgerEnd } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { pathTo, query, setQuery } from '../state/location.ts'
import type { PackageTypes, TypeDescription } from '../state/packages.ts'

export function ScriptsPage() {
  const { value, error } = useLoaded((signal) => readScripts(signal), [ledgerEpoch.value]).value
  return (
    <>
      <PageHead title="Scripts" note="Daml Scripts of the uploaded packages, run on this ledger" />
      {error !== undefined && <Problem error={error} />}
      {value === undefined ? (
        error === undefined && <Loading what="scripts" />
      ) : value.length === 0 ? (
        <Empty icon="play" title="No package has scripts">
          Upload a DAR whose package has values of the type Script.
        </Empty>
      ) : (
        <ChosenScript scripts={value} />
      )}
    </>
  )
}

function ChosenScript({ scripts }: { readonly scripts: readonly Script[] }) {
  const chosen = scripts.find((script) => keyOf(script) === query.value.get('script')) ?? scripts[0]!
  const choice = (
    <SelectField
      label="Script"
      value={keyOf(chosen)}
      options={scripts.map((script) => [keyOf(script), wordsOf(script)])}
      onChange={(key) => setQuery({ script: key })}
    />
  )
  const Panel = chosen.takesArgument ? WithArgument : RunPanel
  return (
    <Panel key={keyOf(chosen)} script={chosen}>
      {choice}
    </Panel>
  )
}

type ScriptProps = {
  readonly script: Script
  /** How another one is chosen. */
  readonly children: ComponentChildren
}

/** The form is that of the argument's type, which the package tells. */
function WithArgument({ script, children }: ScriptProps) {
  const { packageId, name } = script
  const { value: types, error } = useLoaded(
    (signal) => get<PackageTypes>('/docs/types', { query: { package: packageId }, signal }),
    [packageId],
  ).value
  const type = types?.scripts.find((one) => one.name === name)?.argument
  if (types !== undefined && type !== undefined) {
    return <ArgumentForm {...{ script, children, type, types: types.types }} />
  }
  return (
    <div class="stack">
      {children}
      {error === undefined ? <Loading what="the argument" /> : <Problem error={error} />}
    </div>
  )
}

type ArgumentProps = ScriptProps & { readonly type: TypeDescription; readonly types: PackageTypes['types'] }

function ArgumentForm({ script, children, type, types }: ArgumentProps) {
  const formKey = scriptFormKey(script.packageId, script.name)
  const entered = useEnteredValue({ formKey, type, types })
  const { value, problems, focusOn } = entered
  const missing = problems.map(({ path, words }) => ({ words, focus: () => focusOn(path) }))
  return (
    <RunPanel script={script} input={JSON.stringify(value)} missing={missing}>
      {children}
      <HowToEnter {...{ type, types, entered }} />
      <EnteredFields label="Argument" {...{ type, types, entered }} />
    </RunPanel>
  )
}

type RunProps = ScriptProps & {
  /** The argument, as JSON. */
  readonly input?: string
  /** What keeps it from being run. */
  readonly missing?: readonly Missing[]
}

type Outcome = { readonly script: Script; readonly run: ScriptRun; readonly snapshot: string | undefined }

function RunPanel({ script, input, missing = [], children }: RunProps) {
  const isKeeping = useSignal(false)
  const isRunning = useSignal(false)
  const outcome = useSignal<Outcome | undefined>(undefined)
  const problem = useSignal<unknown>(undefined)
  const isReady = missing.length === 0

  async function run(): Promise<void> {
    isRunning.value = true
    outcome.value = undefined
    problem.value = undefined
    try {
      const snapshot = isKeeping.value ? (await takeSnapshot('')).name : undefined
      outcome.value = { script, run: await runScript(script, input), snapshot }
    } catch (error) {
      problem.value = error
    } finally {
      isRunning.value = false
      void refreshLedgerEnd()
    }
  }

  return (
    <div class="stack">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !isRunning.value) void run()
        }}
      >
        <div class="panel-body stack">
          {children}
          <CheckField
            label="Take a snapshot first"
            isChecked={isKeeping.value}
            onChange={(next) => {
              isKeeping.value = next
            }}
          />
          <div class="row">
            <Button kind="primary" icon="play" type="submit" disabled={!isReady || isRunning.value}>
              {isRunning.value ? 'Running…' : 'Run'}
            </Button>
          </div>
          {!isReady && <MissingList missing={missing} />}
        </div>
      </form>
      {problem.value !== undefined && <Problem error={problem.value} />}
      {outcome.value !== undefined && <OutcomePanel {...outcome.value} />}
    </div>
  )
}

function OutcomePanel({ script, run, snapshot }: Outcome) {
  const { succeeded, result, failure, traces, transactions, milliseconds } = run
  return (
    <section class="panel" aria-live="polite">
      <h2>{`${script.name} ${succeeded ? 'succeeded' : 'failed'} (${milliseconds} ms)`}</h2>
      <div class="panel-body stack">
        {!succeeded && <pre class="mono script-text">{failure.join('\n')}</pre>}
        {succeeded && (
          <>
            <h3>Result</h3>
            <pre class="mono script-text">{JSON.stringify(result, null, 2)}</pre>
          </>
        )}
        {traces.length > 0 && (
          <>
            <h3>Debug output</h3>
            <pre class="mono script-text">{traces.join('\n')}</pre>
          </>
        )}
        <h3>Transactions</h3>
        {transactions.length === 0 ? (
          <p class="faint">None</p>
        ) : (
          <ol class="stack script-transactions">
            {transactions.map(({ updateId, offset, tree }) => (
              <li key={updateId}>
                <Link to={pathTo('updates', String(offset))}>{`Update ${offset}`}</Link>
                <pre class="mono script-text">{tree}</pre>
              </li>
            ))}
          </ol>
        )}
        <p>
          <Link to={pathTo('contracts')}>Open the ledger that it left</Link>
          {snapshot !== undefined && (
            <>
              {' · '}
              <Link to={pathTo('controls')}>{`Return to ${snapshot}`}</Link>
            </>
          )}
        </p>
      </div>
    </section>
  )
}

const keyOf = ({ name, packageId }: Script) => `${packageId}:${name}`

const wordsOf = ({ name, packageName, packageVersion }: Script) => `${name} (${packageName} ${packageVersion})`
