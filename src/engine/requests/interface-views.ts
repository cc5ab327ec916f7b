// Interface views of contracts, for readers (Canton: Engine.computeInterfaceView). A view is computed by the requested
// version of the template, which need not be the one that created the contract: the contract's bytes hold no types, so
// they are read with the types of that version.
import { type ErrorCode, type ErrorDetails, LedgerError } from '../../base/errors.ts'
import { decodeContractBlob } from '../../lf/codec/contract-blob.ts'
import type { JsonCodec } from '../../lf/codec/json.ts'
import type { ProtobufCodec } from '../../lf/codec/protobuf.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import { fullName, isSameIdentifier } from '../../lf/syntax/names.ts'
import type { Packages } from '../../lf/values/data-types.ts'
import type { LfRecord } from '../../lf/values/values.ts'
import type { Engine } from '../engine.ts'
import type { Budget } from '../failures/steps.ts'
import { typeOfTemplate } from '../transaction/contracts.ts'
import { identifierFrom } from './command-decoding.ts'

export type ViewRequest = {
  /** `packageId:Module:Entity` of the implementation to use. */
  readonly templateId: string
  readonly interfaceId: string
  /** The contract, as in `createdEventBlob`. */
  readonly blob: Uint8Array
}

export type ViewResult =
  | { readonly kind: 'view'; readonly json: string }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }

type Parts = {
  readonly engine: Engine
  readonly packages: Packages
  readonly json: JsonCodec
  readonly protobuf: ProtobufCodec
}

/** The result for a view that could not be computed. */
export function failedView({ code, message, details }: LedgerError): ViewResult {
  return { kind: 'failed', code, message, details }
}

/** The view as JSON. Throws a Failure, a LedgerError or a ValueError. */
export function computeView(request: ViewRequest, budget: Budget, { engine, packages, json, protobuf }: Parts): string {
  const templateId = identifierFrom(request.templateId)
  const interfaceId = identifierFrom(request.interfaceId)
  checkInstance(templateId, interfaceId, packages)
  const { createArgument } = decodeContractBlob(request.blob)
  const argument = protobuf.decode(createArgument, typeOfTemplate(templateId)) as LfRecord
  const view = engine.view(templateId, interfaceId, argument, budget)
  return json.codecFor(engine.code.interface(interfaceId).viewType).encode(view)
}

function checkInstance(templateId: Identifier, interfaceId: Identifier, packages: Packages): void {
  const moduleOf = ({ packageId, module }: Identifier) => packages.get(packageId)?.modules.get(module)
  const template = moduleOf(templateId)?.templates.get(templateId.name)
  if (template === undefined) throw unknown(`template ${fullName(templateId)}`)
  if (!moduleOf(interfaceId)?.interfaces.has(interfaceId.name)) throw unknown(`interface ${fullName(interfaceId)}`)
  if (template.interfaceInstances.some((instance) => isSameIdentifier(instance.interface, interfaceId))) return
  throw unknown(`interface instance ${fullName(interfaceId)} for ${fullName(templateId)}`)
}

function unknown(what: string): LedgerError {
  return new LedgerError('COMMAND_PREPROCESSING_FAILED', `unknown ${what}`)
}
