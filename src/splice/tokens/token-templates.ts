// The templates of our package of tokens, and the interfaces that they implement, by the names of their packages.

export const tokenTemplates = {
  instrument: '#tallystick-token:Token:Instrument',
  holding: '#tallystick-token:Token:Holding',
  preapproval: '#tallystick-token:Token:Preapproval',
  transferOffer: '#tallystick-token:Token:TransferOffer',
  allocation: '#tallystick-token:Token:Allocation',
} as const

export const transferFactory =
  '#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory'

export const transferInstruction =
  '#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction'

export const allocation = '#splice-api-token-allocation-v1:Splice.Api.Token.AllocationV1:Allocation'

export const holdingInterface = '#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding'
