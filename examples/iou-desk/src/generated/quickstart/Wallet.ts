// Made by tallystick codegen; changes will be lost.
// Module Wallet of quickstart 1.0.0.

import type * as $DA_Internal_Template from '../ghc-stdlib-DA-Internal-Template/DA/Internal/Template.js'
import type * as $Holding from './Holding.js'
import type * as $Iou from './Iou.js'
import type * as daml from '../daml.js'

export type Wallet = {
  owner: daml.Party
}

/** Template #quickstart:Wallet:Wallet */
export const Wallet: daml.Template<{
  id: '#quickstart:Wallet:Wallet'
  payload: Wallet
  key: never
  choices: {
    Archive: daml.Choice<$DA_Internal_Template.Archive, daml.Unit>
    Wallet_Issue: daml.Choice<Wallet_Issue, daml.ContractId<$Iou.Iou>>
    Wallet_Total: daml.Choice<Wallet_Total, daml.Numeric>
  }
}> = { templateId: '#quickstart:Wallet:Wallet' }

export type Wallet_Issue = {
  amount: daml.Numeric
  currency: daml.Text
}

export type Wallet_Total = {
  holdings: daml.List<daml.ContractId<$Holding.Holding>>
  currency: daml.Text
}
