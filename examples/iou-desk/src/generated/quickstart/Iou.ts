// Made by tallystick codegen; changes will be lost.
// Module Iou of quickstart 1.0.0.

import type * as $DA_Internal_Template from '../ghc-stdlib-DA-Internal-Template/DA/Internal/Template.js'
import type * as daml from '../daml.js'

export type InvalidAmount = {
  amount: daml.Numeric
  reason: daml.Text
}

export type Iou = {
  issuer: daml.Party
  owner: daml.Party
  amount: daml.Numeric
  currency: daml.Text
  observers: daml.List<daml.Party>
}

/** Template #quickstart:Iou:Iou */
export const Iou: daml.Template<{
  id: '#quickstart:Iou:Iou'
  payload: Iou
  key: never
  choices: {
    Archive: daml.Choice<$DA_Internal_Template.Archive, daml.Unit>
    Iou_Merge: daml.Choice<Iou_Merge, daml.ContractId<Iou>>
    Iou_Offer: daml.Choice<Iou_Offer, daml.ContractId<TransferOffer>>
    Iou_Show: daml.Choice<Iou_Show, Iou>
    Iou_Split: daml.Choice<Iou_Split, Iou_SplitResult>
  }
}> = { templateId: '#quickstart:Iou:Iou' }

export type IouProposal = {
  iou: Iou
}

/** Template #quickstart:Iou:IouProposal */
export const IouProposal: daml.Template<{
  id: '#quickstart:Iou:IouProposal'
  payload: IouProposal
  key: never
  choices: {
    Archive: daml.Choice<$DA_Internal_Template.Archive, daml.Unit>
    IouProposal_Accept: daml.Choice<IouProposal_Accept, daml.ContractId<Iou>>
    IouProposal_Reject: daml.Choice<IouProposal_Reject, daml.Unit>
  }
}> = { templateId: '#quickstart:Iou:IouProposal' }

export type IouProposal_Accept = daml.Unit

export type IouProposal_Reject = daml.Unit

export type Iou_Merge = {
  other: daml.ContractId<Iou>
}

export type Iou_Offer = {
  newOwner: daml.Party
}

export type Iou_Show = {
  viewers: daml.List<daml.Party>
}

export type Iou_Split = {
  amount: daml.Numeric
}

export type Iou_SplitResult = {
  split: daml.ContractId<Iou>
  rest: daml.ContractId<Iou>
}

export type TransferOffer = {
  iou: Iou
  newOwner: daml.Party
}

/** Template #quickstart:Iou:TransferOffer */
export const TransferOffer: daml.Template<{
  id: '#quickstart:Iou:TransferOffer'
  payload: TransferOffer
  key: never
  choices: {
    Archive: daml.Choice<$DA_Internal_Template.Archive, daml.Unit>
    TransferOffer_Accept: daml.Choice<TransferOffer_Accept, daml.ContractId<Iou>>
    TransferOffer_Reject: daml.Choice<TransferOffer_Reject, daml.ContractId<Iou>>
    TransferOffer_Withdraw: daml.Choice<TransferOffer_Withdraw, daml.ContractId<Iou>>
  }
}> = { templateId: '#quickstart:Iou:TransferOffer' }

export type TransferOffer_Accept = daml.Unit

export type TransferOffer_Reject = daml.Unit

export type TransferOffer_Withdraw = daml.Unit
