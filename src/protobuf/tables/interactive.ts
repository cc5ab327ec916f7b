// Interactive submission, with the prepared transaction that external parties sign. Names and numbers as in Canton 3.5; format: messages.ts.
import type { FileTable } from '../messages.ts'

export const interactiveFiles: readonly FileTable[] = [
  {
    name: 'com/daml/ledger/api/v2/interactive/interactive_submission_common_data.proto',
    package: 'com.daml.ledger.api.v2.interactive',
    imports: ['com/daml/ledger/api/v2/value.proto'],
    messages: `
      GlobalKey: template_id=1 Identifier, package_name=2 string, key=3 Value, hash=4 bytes;
      GlobalKeyWithMaintainers: key=1 GlobalKey, maintainers=2 *string;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/interactive/interactive_submission_service.proto',
    package: 'com.daml.ledger.api.v2.interactive',
    imports: [
      'com/daml/ledger/api/v2/commands.proto',
      'com/daml/ledger/api/v2/crypto.proto',
      'com/daml/ledger/api/v2/interactive/interactive_submission_common_data.proto',
      'com/daml/ledger/api/v2/interactive/transaction/v1/interactive_submission_data.proto',
      'com/daml/ledger/api/v2/package_reference.proto',
      'com/daml/ledger/api/v2/transaction.proto',
      'com/daml/ledger/api/v2/transaction_filter.proto',
      'com/daml/ledger/api/v2/value.proto',
      'google/protobuf/duration.proto',
      'google/protobuf/timestamp.proto',
    ],
    messages: `
      CostEstimationHints: disabled=1 bool, expected_signatures=2 *SigningAlgorithmSpec;
      CostEstimation: estimation_timestamp=1 google.protobuf.Timestamp,
        confirmation_request_traffic_cost_estimation=2 uint64, confirmation_response_traffic_cost_estimation=3
        uint64, total_traffic_cost_estimation=4 uint64;
      PrepareSubmissionRequest: user_id=1 string, command_id=2 string, commands=3 *Command, min_ledger_time=4
        MinLedgerTime, max_record_time=11 ?google.protobuf.Timestamp, act_as=5 *string, read_as=6 *string,
        disclosed_contracts=7 *DisclosedContract, synchronizer_id=8 string, package_id_selection_preference=9
        *string, verbose_hashing=10 bool, prefetch_contract_keys=15 *PrefetchContractKey,
        estimate_traffic_cost=16 ?CostEstimationHints, hashing_scheme_version=17 ?HashingSchemeVersion,
        taps_max_passes=18 ?uint32;
      PrepareSubmissionResponse: prepared_transaction=1 PreparedTransaction, prepared_transaction_hash=2 bytes,
        hashing_scheme_version=3 HashingSchemeVersion, hashing_details=4 ?string, cost_estimation=5
        ?CostEstimation;
      SinglePartySignatures: party=1 string, signatures=2 *Signature;
      PartySignatures: signatures=1 *SinglePartySignatures;
      ExecuteSubmissionRequest: prepared_transaction=1 PreparedTransaction, party_signatures=2 PartySignatures,
        deduplication_period.deduplication_duration=3 google.protobuf.Duration,
        deduplication_period.deduplication_offset=4 int64, submission_id=5 string, user_id=6 string,
        hashing_scheme_version=7 HashingSchemeVersion, min_ledger_time=8 MinLedgerTime;
      ExecuteSubmissionResponse:;
      ExecuteSubmissionAndWaitRequest: prepared_transaction=1 PreparedTransaction, party_signatures=2
        PartySignatures, deduplication_period.deduplication_duration=3 google.protobuf.Duration,
        deduplication_period.deduplication_offset=4 int64, submission_id=5 string, user_id=6 string,
        hashing_scheme_version=7 HashingSchemeVersion, min_ledger_time=8 MinLedgerTime;
      ExecuteSubmissionAndWaitResponse: update_id=1 string, completion_offset=2 int64;
      ExecuteSubmissionAndWaitForTransactionRequest: prepared_transaction=1 PreparedTransaction,
        party_signatures=2 PartySignatures, deduplication_period.deduplication_duration=3
        google.protobuf.Duration, deduplication_period.deduplication_offset=4 int64, submission_id=5 string,
        user_id=6 string, hashing_scheme_version=7 HashingSchemeVersion, min_ledger_time=8 MinLedgerTime,
        transaction_format=9 TransactionFormat;
      ExecuteSubmissionAndWaitForTransactionResponse: transaction=1 Transaction;
      MinLedgerTime: time.min_ledger_time_abs=1 google.protobuf.Timestamp, time.min_ledger_time_rel=2
        google.protobuf.Duration;
      PreparedTransaction: transaction=1 DamlTransaction, metadata=2 Metadata;
      Metadata: submitter_info=2 Metadata.SubmitterInfo, synchronizer_id=3 string, mediator_group=4 uint32,
        transaction_uuid=5 string, preparation_time=6 uint64, input_contracts=7 *Metadata.InputContract,
        min_ledger_effective_time=9 ?uint64, max_ledger_effective_time=10 ?uint64, max_record_time=11 ?uint64,
        global_key_mapping=8 *Metadata.GlobalKeyMappingEntry;
      Metadata.SubmitterInfo: act_as=1 *string, command_id=2 string;
      Metadata.GlobalKeyMappingEntry: key=1 GlobalKey, value=2 ?Value;
      Metadata.InputContract: contract.v1=1 transaction.v1.Create, created_at=1000 uint64, event_blob=1002
        bytes;
      DamlTransaction: version=1 string, roots=2 *string, nodes=3 *DamlTransaction.Node, node_seeds=4
        *DamlTransaction.NodeSeed;
      DamlTransaction.NodeSeed: node_id=1 int32, seed=2 bytes;
      DamlTransaction.Node: node_id=1 string, versioned_node.v1=1000 transaction.v1.Node;
      GetPreferredPackageVersionRequest: parties=1 *string, package_name=2 string, synchronizer_id=3 string,
        vetting_valid_at=4 google.protobuf.Timestamp;
      GetPreferredPackageVersionResponse: package_preference=1 PackagePreference;
      PackagePreference: package_reference=1 PackageReference, synchronizer_id=2 string;
      PackageVettingRequirement: parties=1 *string, package_name=2 string;
      GetPreferredPackagesRequest: package_vetting_requirements=1 *PackageVettingRequirement, synchronizer_id=2
        string, vetting_valid_at=3 google.protobuf.Timestamp;
      GetPreferredPackagesResponse: package_references=1 *PackageReference, synchronizer_id=2 string;
    `,
    enums: `
      HashingSchemeVersion: HASHING_SCHEME_VERSION_UNSPECIFIED=0, HASHING_SCHEME_VERSION_V2=2,
        HASHING_SCHEME_VERSION_V3=3;
    `,
    services: `
      InteractiveSubmissionService: PrepareSubmission PrepareSubmissionRequest PrepareSubmissionResponse,
        ExecuteSubmission ExecuteSubmissionRequest ExecuteSubmissionResponse, ExecuteSubmissionAndWait
        ExecuteSubmissionAndWaitRequest ExecuteSubmissionAndWaitResponse, ExecuteSubmissionAndWaitForTransaction
        ExecuteSubmissionAndWaitForTransactionRequest ExecuteSubmissionAndWaitForTransactionResponse,
        GetPreferredPackageVersion GetPreferredPackageVersionRequest GetPreferredPackageVersionResponse,
        GetPreferredPackages GetPreferredPackagesRequest GetPreferredPackagesResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/interactive/transaction/v1/interactive_submission_data.proto',
    package: 'com.daml.ledger.api.v2.interactive.transaction.v1',
    imports: [
      'com/daml/ledger/api/v2/interactive/interactive_submission_common_data.proto',
      'com/daml/ledger/api/v2/value.proto',
    ],
    messages: `
      Fetch: lf_version=1 string, contract_id=2 string, package_name=3 string, template_id=4 Identifier,
        signatories=5 *string, stakeholders=6 *string, acting_parties=7 *string, interface_id=8 Identifier,
        key=9 ?interactive.GlobalKeyWithMaintainers, by_key=10 bool;
      Exercise: lf_version=1 string, contract_id=2 string, package_name=3 string, template_id=4 Identifier,
        signatories=5 *string, stakeholders=6 *string, acting_parties=7 *string, interface_id=8 Identifier,
        choice_id=9 string, chosen_value=10 Value, consuming=11 bool, children=12 *string, exercise_result=13
        Value, choice_observers=14 *string, key=15 ?interactive.GlobalKeyWithMaintainers, by_key=16 bool;
      Create: lf_version=1 string, contract_id=2 string, package_name=3 string, template_id=4 Identifier,
        argument=5 Value, signatories=6 *string, stakeholders=7 *string, key=8
        ?interactive.GlobalKeyWithMaintainers;
      Rollback: children=1 *string;
      QueryByKey: lf_version=1 string, package_name=2 string, template_id=3 Identifier, exhaustive=4 bool, key=5
        interactive.GlobalKeyWithMaintainers, result=6 *string;
      Node: node_type.create=1 Create, node_type.fetch=2 Fetch, node_type.exercise=3 Exercise,
        node_type.rollback=4 Rollback, node_type.query_by_key=5 QueryByKey;
    `,
  },
]
