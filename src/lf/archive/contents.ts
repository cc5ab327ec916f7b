// Contents that many fields share: numbers, flags, texts, and indices into the tables of strings and names. An absent
// field stands for zero, and so for the first entry of its table.

import { readInt32, readText, wireTypes } from '../../protobuf/wire-reading.ts'
import type { Content } from './content.ts'
import { dottedNameAt, nameAt, stringAt } from './decoding.ts'
import { message } from './message.ts'

export const int32: Content<number> = { wireType: wireTypes.varint, read: readInt32, absent: () => 0 }
export const text: Content<string> = { wireType: wireTypes.bytes, read: readText, absent: () => '' }
export const unit: Content<true> = message('Unit', [], () => true)

export const bool: Content<boolean> = {
  wireType: wireTypes.varint,
  read: (decoding) => readInt32(decoding) !== 0,
  absent: () => false,
}

// Each has functions of its own, because they are read so often: functions that share their code call what V8 cannot
// foresee.

export const internedString: Content<string> = {
  wireType: wireTypes.varint,
  read: (decoding) => stringAt(decoding, readInt32(decoding)),
  absent: (decoding) => stringAt(decoding, 0),
}

export const internedName: Content<string> = {
  wireType: wireTypes.varint,
  read: (decoding) => nameAt(decoding, readInt32(decoding)),
  absent: (decoding) => nameAt(decoding, 0),
}

export const internedDottedName: Content<string> = {
  wireType: wireTypes.varint,
  read: (decoding) => dottedNameAt(decoding, readInt32(decoding)),
  absent: (decoding) => dottedNameAt(decoding, 0),
}
