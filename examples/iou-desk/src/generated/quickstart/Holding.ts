// Made by tallystick codegen; changes will be lost.
// Module Holding of quickstart 1.0.0.

import type * as $DA_Internal_Template from '../ghc-stdlib-DA-Internal-Template/DA/Internal/Template.js'
import type * as daml from '../daml.js'

export type Holding = daml.AnyOf<'#quickstart:Holding:Holding'>

/** Interface #quickstart:Holding:Holding */
export const Holding: daml.Interface<{
  id: '#quickstart:Holding:Holding'
  view: HoldingView
  choices: {
    Archive: daml.Choice<$DA_Internal_Template.Archive, daml.Unit>
    Holding_Redeem: daml.Choice<Holding_Redeem, HoldingView>
  }
}> = { interfaceId: '#quickstart:Holding:Holding' }

export type HoldingView = {
  issuer: daml.Party
  owner: daml.Party
  amount: daml.Numeric
  currency: daml.Text
}

export type Holding_Redeem = daml.Unit
