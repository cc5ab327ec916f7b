// Shows the page that the address names. A page that fails shows its error, and the frame around it stays.
import { type Signal, useSignal } from '@preact/signals'
import { Component, type ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { Empty, Loading } from '../parts/empty.tsx'
import { Link } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { type Route, routeAt } from '../routes.ts'
import { path } from '../state/location.ts'
import type { Page } from '../state/page.ts'
import { session } from '../state/session.ts'

const loaded = new Map<Route['load'], Page>()

export function Outlet() {
  const match = routeAt(path.value)
  if (match === undefined) return <NoPage title="There is no such page" />
  const { isFor } = match.route
  // Whatever it would ask for would be refused.
  if (isFor !== undefined && !isFor(session.value)) return <NoPage title="This page is not for you">{notForYou}</NoPage>
  return (
    <ErrorBoundary key={path.value}>
      <LoadedPage key={match.route.path} load={match.route.load} params={match.params} />
    </ErrorBoundary>
  )
}

type Props = { readonly load: Route['load']; readonly params: Readonly<Record<string, string>> }

function LoadedPage({ load, params }: Props) {
  const page: Signal<Page | undefined> = useSignal(loaded.get(load))
  const hasFailed = useSignal(false)
  useEffect(() => {
    if (page.peek() !== undefined) return
    load().then(
      (found) => {
        loaded.set(load, found)
        page.value = found
      },
      () => {
        hasFailed.value = true
      },
    )
  }, [load])
  // The node may have been updated since the page was opened, and has other files now.
  if (hasFailed.value) {
    return (
      <Empty icon="alert" title="This page could not be loaded">
        <Button onClick={() => location.reload()}>Load the explorer again</Button>
      </Empty>
    )
  }
  const Shown = page.value
  return Shown === undefined ? <Loading what="the page" /> : <Shown params={params} />
}

const notForYou = 'It needs rights that your token does not have, or a development node.'

function NoPage({ title, children }: { readonly title: string; readonly children?: string }) {
  return (
    <>
      <PageHead title={title} note={children} />
      <p>
        <Link to="/">Begin at the start</Link>
      </p>
    </>
  )
}

class ErrorBoundary extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: undefined as unknown }

  static override getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return <Problem error={error} retry={() => this.setState({ error: undefined })} />
  }
}
