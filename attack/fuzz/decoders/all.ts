// Every decoder of untrusted input.
import type { Decoder } from '../decoder.ts'
import { webSocketFrames } from './frames.ts'
import { configurations, smallTexts } from './grammars.ts'
import { publicKeyBytes, signatures, topologyTransactions } from './keys.ts'
import { archives, darFiles, manifests, packages, zipFiles } from './packages.ts'
import { exactJson, headers, jsonBodies, largeBodies, queries } from './requests.ts'
import { pageTokens, publishedKeys, tokenClaims, tokens } from './tokens.ts'
import { contractBlobs, jsonValues, preparedTransactions, protobufValues } from './values.ts'

export const decoders: readonly Decoder[] = [
  ...[jsonBodies, largeBodies, exactJson, queries, headers, webSocketFrames, smallTexts, configurations],
  ...[tokens, tokenClaims, publishedKeys, pageTokens],
  ...[jsonValues, protobufValues, contractBlobs, preparedTransactions],
  ...[topologyTransactions, publicKeyBytes, signatures],
  ...[darFiles, zipFiles, archives, packages, manifests],
]
