// Contents that many fields share: numbers, flags, texts, and indices into the tables of strings and names. An absent
// field stands for zero, and so for the first entry of its table.
import { type Decoding, dottedNameAt, nameAt, stringAt } from './decoding.ts'
import { type Content, message } from './message.ts'
import { readInt32, readText, wireTypes } from './wire.ts'

export const int32: Content<number> = { wireType: wireTypes.varint, read: readInt32, absent: () => 0 }
export const text: Content<string> = { wireType: wireTypes.bytes, read: readText, absent: () => '' }
export const unit: Content<true> = message('Unit', [], () => true)

export const bool: Content<boolean> = {
  wireType: wireTypes.varint,
  read: (decoding) => readInt32(decoding) !== 0,
  absent: () => false,
}

export const internedString = index(stringAt)
export const internedName = index(nameAt)
export const internedDottedName = index(dottedNameAt)

function index<T>(lookUp: (decoding: Decoding, index: number) => T): Content<T> {
  return {
    wireType: wireTypes.varint,
    read: (decoding) => lookUp(decoding, readInt32(decoding)),
    absent: (decoding) => lookUp(decoding, 0),
  }
}
