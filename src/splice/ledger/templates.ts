// The templates and interfaces of Splice that this application reads, by the names of their packages: so they mean the version
// that is preferred on the ledger.

export const templates = {
  dsoBootstrap: '#splice-dso-governance:Splice.DsoBootstrap:DsoBootstrap',
  dsoRules: '#splice-dso-governance:Splice.DsoRules:DsoRules',
  svNodeState: '#splice-dso-governance:Splice.DSO.SvState:SvNodeState',
  amuletPriceVote: '#splice-dso-governance:Splice.DSO.AmuletPrice:AmuletPriceVote',
  amuletRules: '#splice-amulet:Splice.AmuletRules:AmuletRules',
  externalPartyAmuletRules: '#splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules',
  externalPartyConfigState: '#splice-amulet:Splice.ExternalPartyConfigState:ExternalPartyConfigState',
  openMiningRound: '#splice-amulet:Splice.Round:OpenMiningRound',
  issuingMiningRound: '#splice-amulet:Splice.Round:IssuingMiningRound',
  summarizingMiningRound: '#splice-amulet:Splice.Round:SummarizingMiningRound',
  closedMiningRound: '#splice-amulet:Splice.Round:ClosedMiningRound',
  amulet: '#splice-amulet:Splice.Amulet:Amulet',
  lockedAmulet: '#splice-amulet:Splice.Amulet:LockedAmulet',
  featuredAppRight: '#splice-amulet:Splice.Amulet:FeaturedAppRight',
  validatorRight: '#splice-amulet:Splice.Amulet:ValidatorRight',
  appRewardCoupon: '#splice-amulet:Splice.Amulet:AppRewardCoupon',
  svRewardCoupon: '#splice-amulet:Splice.Amulet:SvRewardCoupon',
  validatorRewardCoupon: '#splice-amulet:Splice.Amulet:ValidatorRewardCoupon',
  validatorLivenessActivityRecord: '#splice-amulet:Splice.ValidatorLicense:ValidatorLivenessActivityRecord',
  validatorLicense: '#splice-amulet:Splice.ValidatorLicense:ValidatorLicense',
  transferPreapproval: '#splice-amulet:Splice.AmuletRules:TransferPreapproval',
  amuletTransferInstruction: '#splice-amulet:Splice.AmuletTransferInstruction:AmuletTransferInstruction',
  amuletAllocation: '#splice-amulet:Splice.AmuletAllocation:AmuletAllocation',
  amuletAllocationV2: '#splice-amulet:Splice.AmuletAllocationV2:AmuletAllocationV2',
  memberTraffic: '#splice-amulet:Splice.DecentralizedSynchronizer:MemberTraffic',
  ansRules: '#splice-amulet-name-service:Splice.Ans:AnsRules',
  ansEntry: '#splice-amulet-name-service:Splice.Ans:AnsEntry',
  walletAppInstall: '#splice-wallet:Splice.Wallet.Install:WalletAppInstall',
  transferOffer: '#splice-wallet:Splice.Wallet.TransferOffer:TransferOffer',
  acceptedTransferOffer: '#splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer',
  transferPreapprovalProposal: '#splice-wallet:Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal',
} as const

export const interfaces = {
  allocationRequest: '#splice-api-token-allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest',
  allocationRequestV2: '#splice-api-token-allocation-request-v2:Splice.Api.Token.AllocationRequestV2:AllocationRequest',
} as const
