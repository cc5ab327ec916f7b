// ObjectMeta: version and annotations of users and parties.
import type { Static } from 'typebox'
import { message, text, textMap } from './schema.ts'

export const objectMeta = message(
  'ObjectMeta',
  {
    resourceVersion: text('Changes with every update; if sent back, a concurrent update is detected and refused'),
    annotations: textMap('Annotations by key, such as team or example.com/team; an empty value deletes its key'),
  },
  { description: 'Metadata kept by this participant' },
)

export type ObjectMeta = Static<typeof objectMeta>

export const noMetadata: ObjectMeta = { resourceVersion: '', annotations: {} }
