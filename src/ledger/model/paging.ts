// Page tokens: like Canton's, base64url of a protobuf message with the last ids of the previous page.
import { invalidArgument } from '../../base/errors.ts'
import { LooseMessage } from '../../protobuf/loose-message.ts'
import { finishWriting } from '../../protobuf/message-writer.ts'
import { ProtobufError } from '../../protobuf/protobuf-error.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'

export type PageRequest = { readonly pageSize: number; readonly pageToken: string }

/** The id is field 1. */
export function pageTokenOf(lastId: string): string {
  return tokenOfTexts([lastId])
}

/** The id that the page comes after: "" for the first page. Accepts only what `pageTokenOf` makes. */
export function readPageToken(token: string, isId: (text: string) => boolean): string {
  if (token === '') return ''
  const [id] = textsOfToken(token, 1) ?? []
  if (id === undefined || !isId(id)) throw invalidArgument('Invalid page token')
  return id
}

/** The texts are fields 1, 2 and so on. */
export function tokenOfTexts(texts: readonly string[]): string {
  const message = finishWriting((writer) => {
    for (const [index, text] of texts.entries()) writer.tag(index + 1, wireTypes.bytes).string(text)
  })
  return Buffer.from(message).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}

/** Undefined for what `tokenOfTexts` does not make of so many texts. All padding may be missing. */
export function textsOfToken(token: string, count: number): string[] | undefined {
  const texts = textsOf(Buffer.from(token, 'base64url'), count)
  if (texts === undefined) return undefined
  const whole = tokenOfTexts(texts)
  return token === whole || token === whole.replace(/=+$/, '') ? texts : undefined
}

function textsOf(bytes: Uint8Array, count: number): string[] | undefined {
  try {
    const message = new LooseMessage(bytes, 'page token')
    return Array.from({ length: count }, (_, index) => message.text(index + 1))
  } catch (error) {
    if (error instanceof ProtobufError) return undefined
    throw error
  }
}
