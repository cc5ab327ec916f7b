// What LocalNet founds its DSO with: the arguments of Splice's own bootstrap contract. The figures are the defaults of Splice's
// found-dso configuration (SvAppConfig.scala, SpliceUtil.scala, SvUtil.scala), and LocalNet's where it overrides them.
import type { SpliceRelease } from '../packages/releases.ts'

export type DsoFacts = {
  readonly dso: string
  readonly sv: string
  /** Of the super validator's participant. */
  readonly participantId: string
  readonly synchronizerId: string
  readonly release: SpliceRelease
  /** The ledger's clock. */
  readonly now: string
}

/** Dollars for one Amulet. */
export const amuletPrice = '0.005'

const hour = 3_600
const seconds = (count: number) => ({ microseconds: String(count * 1_000_000) })
const hours = (count: number) => seconds(count * hour)
const tick = seconds(600)

export function bootstrapArguments(facts: DsoFacts): object {
  const { dso, sv, participantId } = facts
  return {
    dso,
    sv1Party: sv,
    sv1Name: 'sv',
    sv1RewardWeight: '10000',
    sv1ParticipantId: `PAR::${participantId}`,
    sv1SynchronizerNodes: [[facts.synchronizerId, synchronizerNode(facts)]],
    round0Duration: tick,
    amuletConfig: amuletConfig(facts),
    amuletPrice,
    ansRulesConfig: {
      renewalDuration: hours(30 * 24),
      entryLifetime: hours(90 * 24),
      entryFee: '1.0',
      descriptionPrefix: 'ANS entry: ',
    },
    config: dsoRulesConfig(facts),
    initialTrafficState: [],
    isDevNet: true,
    initialRound: '0',
  }
}

/** There is no sequencer or mediator of its own: the participant's node is both. */
function synchronizerNode({ participantId, now }: DsoFacts): object {
  return {
    cometBft: { nodes: [], governanceKeys: [], sequencingKeys: [] },
    sequencer: {
      migrationId: '0',
      sequencerId: `SEQ::${participantId}`,
      url: 'http://canton:5008',
      availableAfter: now,
    },
    mediator: { mediatorId: `MED::${participantId}` },
    scan: { publicUrl: 'http://localhost:5012' },
  }
}

function amuletConfig({ synchronizerId, release }: DsoFacts): object {
  const { packages } = release
  return {
    transferConfig: {
      createFee: { fee: '0.0' },
      holdingFee: { rate: '0.0000190259' },
      transferFee: { initialRate: '0.0', steps: [] },
      lockHolderFee: { fee: '0.0' },
      extraFeaturedAppRewardAmount: '1.0',
      maxNumInputs: '100',
      maxNumOutputs: '100',
      maxNumLockHolders: '50',
    },
    issuanceCurve: {
      initialValue: issuance('40000000000.0', '0.05', '0.15'),
      futureValues: [
        { _1: hours(365 * 12), _2: issuance('20000000000.0', '0.12', '0.4') },
        { _1: hours(3 * 365 * 12), _2: issuance('10000000000.0', '0.18', '0.62') },
        { _1: hours(5 * 365 * 24), _2: issuance('5000000000.0', '0.21', '0.69') },
        { _1: hours(10 * 365 * 24), _2: issuance('2500000000.0', '0.2', '0.75') },
      ],
    },
    decentralizedSynchronizer: {
      requiredSynchronizers: { map: [[synchronizerId, {}]] },
      activeSynchronizer: synchronizerId,
      fees: {
        baseRateTrafficLimits: { burstAmount: '400000', burstWindow: seconds(1_200) },
        extraTrafficPrice: '16.67',
        readVsWriteScalingFactor: '4',
        minTopupAmount: '200000',
      },
    },
    tickDuration: tick,
    packageConfig: {
      amulet: packages.amulet.version,
      amuletNameService: packages.amuletNameService.version,
      dsoGovernance: packages.dsoGovernance.version,
      validatorLifecycle: packages.validatorLifecycle.version,
      wallet: packages.wallet.version,
      walletPayments: packages.walletPayments.version,
    },
    featuredAppActivityMarkerAmount: '1.0',
  }
}

function issuance(amuletToIssuePerYear: string, validator: string, app: string): object {
  return {
    amuletToIssuePerYear,
    validatorRewardPercentage: validator,
    appRewardPercentage: app,
    validatorRewardCap: '0.2',
    featuredAppRewardCap: '100.0',
    unfeaturedAppRewardCap: '0.6',
    optValidatorFaucetCap: '2.85',
  }
}

function dsoRulesConfig({ synchronizerId }: DsoFacts): object {
  return {
    numUnclaimedRewardsThreshold: '10',
    numMemberTrafficContractsThreshold: '5',
    actionConfirmationTimeout: hours(1),
    svOnboardingRequestTimeout: hours(1),
    svOnboardingConfirmedTimeout: hours(1),
    voteRequestTimeout: hours(7 * 24),
    dsoDelegateInactiveTimeout: seconds(70),
    synchronizerNodeConfigLimits: {
      cometBft: {
        maxNumCometBftNodes: '2',
        maxNumGovernanceKeys: '2',
        maxNumSequencingKeys: '2',
        maxNodeIdLength: '50',
        maxPubKeyLength: '256',
      },
    },
    maxTextLength: '1024',
    decentralizedSynchronizer: {
      synchronizers: [
        [
          synchronizerId,
          { state: 'DS_Operational', cometBftGenesisJson: '', acsCommitmentReconciliationInterval: '1800' },
        ],
      ],
      lastSynchronizerId: synchronizerId,
      activeSynchronizerId: synchronizerId,
    },
  }
}
