// What a page is to the frame that shows it.
import type { ComponentType } from 'preact'

export type PageProps = {
  /** The parts of the path that the route names, decoded. */
  readonly params: Readonly<Record<string, string>>
}
export type Page = ComponentType<PageProps>
