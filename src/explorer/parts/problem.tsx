// An error of the node: its code, its words, where in Daml, and what to do.
import { ApiError, isOffline } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

const shownContext: readonly [name: string, words: string][] = [
  ['definition', 'Definition'],
  ['location', 'Place in the source'],
  ['choice', 'Choice'],
  ['exercises', 'Exercises'],
  ['path', 'Field'],
  ['expected', 'Expected'],
]

type Props = { readonly error: unknown; readonly retry?: () => void }

export function Problem({ error, retry }: Props) {
  const known = error instanceof ApiError ? error : undefined
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <div>
        <p class="problem-title">
          {isOffline(error) ? 'The node does not answer' : (known?.code ?? 'Something went wrong')}
        </p>
        <p>{isOffline(error) ? 'It may be stopped. The page tries again by itself.' : wordsOf(error)}</p>
        {known?.hint !== undefined && <p class="hint">{known.hint}</p>}
        <dl class="context">
          {shownContext.map(([name, words]) => {
            const value = known === undefined || !Object.hasOwn(known.context, name) ? undefined : known.context[name]
            return (
              value !== undefined && (
                <div key={name}>
                  <dt>{words}</dt>
                  <dd class="mono">{value}</dd>
                </div>
              )
            )
          })}
        </dl>
        {retry && (
          <Button kind="plain" onClick={retry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
