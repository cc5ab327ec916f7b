// The services that submit and read. Names and numbers as in Canton 3.5; format: messages.ts.
import type { FileTable } from '../messages.ts'

export const ledgerServicesFiles: readonly FileTable[] = [
  {
    name: 'com/daml/ledger/api/v2/command_completion_service.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['com/daml/ledger/api/v2/completion.proto', 'com/daml/ledger/api/v2/offset_checkpoint.proto'],
    messages: `
      CompletionStreamRequest: user_id=1 string, parties=2 *string, begin_exclusive=3 int64;
      GetCompletionsRequest: parties=1 *string, begin_exclusive=2 int64;
      CompletionStreamResponse: completion_response.completion=1 Completion,
        completion_response.offset_checkpoint=2 OffsetCheckpoint;
    `,
    services: `
      CommandCompletionService: CompletionStream CompletionStreamRequest stream CompletionStreamResponse,
        GetCompletions GetCompletionsRequest stream CompletionStreamResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/command_service.proto',
    package: 'com.daml.ledger.api.v2',
    imports: [
      'com/daml/ledger/api/v2/commands.proto',
      'com/daml/ledger/api/v2/reassignment.proto',
      'com/daml/ledger/api/v2/reassignment_commands.proto',
      'com/daml/ledger/api/v2/transaction.proto',
      'com/daml/ledger/api/v2/transaction_filter.proto',
    ],
    messages: `
      SubmitAndWaitRequest: commands=1 Commands;
      SubmitAndWaitForTransactionRequest: commands=1 Commands, transaction_format=2 TransactionFormat;
      SubmitAndWaitResponse: update_id=1 string, completion_offset=2 int64;
      SubmitAndWaitForTransactionResponse: transaction=1 Transaction;
      SubmitAndWaitForReassignmentRequest: reassignment_commands=1 ReassignmentCommands, event_format=2
        EventFormat;
      SubmitAndWaitForReassignmentResponse: reassignment=1 Reassignment;
    `,
    services: `
      CommandService: SubmitAndWait SubmitAndWaitRequest SubmitAndWaitResponse, SubmitAndWaitForTransaction
        SubmitAndWaitForTransactionRequest SubmitAndWaitForTransactionResponse, SubmitAndWaitForReassignment
        SubmitAndWaitForReassignmentRequest SubmitAndWaitForReassignmentResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/command_submission_service.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['com/daml/ledger/api/v2/commands.proto', 'com/daml/ledger/api/v2/reassignment_commands.proto'],
    messages: `
      SubmitRequest: commands=1 Commands;
      SubmitResponse:;
      SubmitReassignmentRequest: reassignment_commands=1 ReassignmentCommands;
      SubmitReassignmentResponse:;
    `,
    services: `
      CommandSubmissionService: Submit SubmitRequest SubmitResponse, SubmitReassignment
        SubmitReassignmentRequest SubmitReassignmentResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/contract_service.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['com/daml/ledger/api/v2/event.proto'],
    messages: `
      GetContractRequest: contract_id=1 string, querying_parties=2 *string;
      GetContractResponse: created_event=1 CreatedEvent;
    `,
    services: `
      ContractService: GetContract GetContractRequest GetContractResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/event_query_service.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['com/daml/ledger/api/v2/event.proto', 'com/daml/ledger/api/v2/transaction_filter.proto'],
    messages: `
      GetEventsByContractIdRequest: contract_id=1 string, event_format=3 EventFormat;
      GetEventsByContractIdResponse: created=1 Created, archived=2 Archived;
      Created: created_event=1 CreatedEvent, synchronizer_id=2 string;
      Archived: archived_event=1 ArchivedEvent, synchronizer_id=2 string;
    `,
    services: `
      EventQueryService: GetEventsByContractId GetEventsByContractIdRequest GetEventsByContractIdResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/experimental_features.proto',
    package: 'com.daml.ledger.api.v2',
    messages: `
      ExperimentalFeatures: static_time=1 ExperimentalStaticTime, command_inspection_service=2
        ExperimentalCommandInspectionService;
      ExperimentalStaticTime: supported=1 bool;
      ExperimentalCommandInspectionService: supported=1 bool;
      ExperimentalPartyTopologyEvents: supported=1 bool;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/package_service.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['com/daml/ledger/api/v2/package_reference.proto'],
    messages: `
      ListPackagesResponse: package_ids=1 *string;
      GetPackageResponse: hash_function=1 HashFunction, archive_payload=2 bytes, hash=3 string;
      GetPackageStatusResponse: package_status=1 PackageStatus;
      ListPackagesRequest:;
      GetPackageRequest: package_id=1 string;
      GetPackageStatusRequest: package_id=1 string;
      PackageMetadataFilter: package_ids=1 *string, package_name_prefixes=2 *string;
      TopologyStateFilter: participant_ids=1 *string, synchronizer_ids=2 *string;
      ListVettedPackagesRequest: package_metadata_filter=1 PackageMetadataFilter, topology_state_filter=2
        TopologyStateFilter, page_token=3 string, page_size=4 uint32;
      ListVettedPackagesResponse: vetted_packages=1 *VettedPackages, next_page_token=2 string;
    `,
    enums: `
      PackageStatus: PACKAGE_STATUS_UNSPECIFIED=0, PACKAGE_STATUS_REGISTERED=1;
      HashFunction: HASH_FUNCTION_SHA256=0;
    `,
    services: `
      PackageService: ListPackages ListPackagesRequest ListPackagesResponse, GetPackage GetPackageRequest
        GetPackageResponse, GetPackageStatus GetPackageStatusRequest GetPackageStatusResponse,
        ListVettedPackages ListVettedPackagesRequest ListVettedPackagesResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/state_service.proto',
    package: 'com.daml.ledger.api.v2',
    imports: [
      'com/daml/ledger/api/v2/event.proto',
      'com/daml/ledger/api/v2/reassignment.proto',
      'com/daml/ledger/api/v2/transaction_filter.proto',
    ],
    messages: `
      GetActiveContractsRequest: active_at_offset=3 int64, event_format=4 EventFormat,
        stream_continuation_token=5 ?bytes;
      GetActiveContractsPageRequest: active_at_offset=1 ?int64, event_format=2 EventFormat, max_page_size=3
        ?int32, page_token=4 ?bytes;
      GetActiveContractsResponse: workflow_id=1 string, contract_entry.active_contract=2 ActiveContract,
        contract_entry.incomplete_unassigned=3 IncompleteUnassigned, contract_entry.incomplete_assigned=4
        IncompleteAssigned, stream_continuation_token=5 bytes;
      GetActiveContractsPageResponse: active_contracts=1 *GetActiveContractsResponse, active_at_offset=2 int64,
        next_page_token=3 ?bytes;
      ActiveContract: created_event=1 CreatedEvent, synchronizer_id=2 string, reassignment_counter=3 uint64;
      IncompleteUnassigned: created_event=1 CreatedEvent, unassigned_event=2 UnassignedEvent;
      IncompleteAssigned: assigned_event=1 AssignedEvent;
      GetConnectedSynchronizersRequest: party=1 string, participant_id=2 string, identity_provider_id=3 string;
      GetConnectedSynchronizersResponse: connected_synchronizers=1
        *GetConnectedSynchronizersResponse.ConnectedSynchronizer;
      GetConnectedSynchronizersResponse.ConnectedSynchronizer: synchronizer_alias=1 string, synchronizer_id=2
        string, permission=3 ParticipantPermission;
      GetLedgerEndRequest:;
      GetLedgerEndResponse: offset=1 int64;
      GetLatestPrunedOffsetsRequest:;
      GetLatestPrunedOffsetsResponse: participant_pruned_up_to_inclusive=1 int64,
        all_divulged_contracts_pruned_up_to_inclusive=2 int64;
    `,
    enums: `
      ParticipantPermission: PARTICIPANT_PERMISSION_UNSPECIFIED=0, PARTICIPANT_PERMISSION_SUBMISSION=1,
        PARTICIPANT_PERMISSION_CONFIRMATION=2, PARTICIPANT_PERMISSION_OBSERVATION=3;
    `,
    services: `
      StateService: GetActiveContracts GetActiveContractsRequest stream GetActiveContractsResponse,
        GetActiveContractsPage GetActiveContractsPageRequest GetActiveContractsPageResponse,
        GetConnectedSynchronizers GetConnectedSynchronizersRequest GetConnectedSynchronizersResponse,
        GetLedgerEnd GetLedgerEndRequest GetLedgerEndResponse, GetLatestPrunedOffsets
        GetLatestPrunedOffsetsRequest GetLatestPrunedOffsetsResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/testing/time_service.proto',
    package: 'com.daml.ledger.api.v2.testing',
    imports: ['google/protobuf/empty.proto', 'google/protobuf/timestamp.proto'],
    messages: `
      GetTimeRequest:;
      GetTimeResponse: current_time=1 google.protobuf.Timestamp;
      SetTimeRequest: current_time=1 google.protobuf.Timestamp, new_time=2 google.protobuf.Timestamp;
    `,
    services: `
      TimeService: GetTime GetTimeRequest GetTimeResponse, SetTime SetTimeRequest google.protobuf.Empty;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/update_service.proto',
    package: 'com.daml.ledger.api.v2',
    imports: [
      'com/daml/ledger/api/v2/offset_checkpoint.proto',
      'com/daml/ledger/api/v2/reassignment.proto',
      'com/daml/ledger/api/v2/topology_transaction.proto',
      'com/daml/ledger/api/v2/transaction.proto',
      'com/daml/ledger/api/v2/transaction_filter.proto',
    ],
    messages: `
      GetUpdatesRequest: begin_exclusive=1 int64, end_inclusive=2 ?int64, update_format=5 UpdateFormat,
        descending_order=6 bool;
      GetUpdatesResponse: update.transaction=1 Transaction, update.reassignment=2 Reassignment,
        update.offset_checkpoint=3 OffsetCheckpoint, update.topology_transaction=4 TopologyTransaction;
      GetUpdateByOffsetRequest: offset=1 int64, update_format=2 UpdateFormat;
      GetUpdateByIdRequest: update_id=1 string, update_format=2 UpdateFormat;
      GetUpdateResponse: update.transaction=1 Transaction, update.reassignment=2 Reassignment,
        update.topology_transaction=3 TopologyTransaction;
      GetUpdatesPageRequest: begin_offset_exclusive=1 ?int64, end_offset_inclusive=2 ?int64, max_page_size=3
        ?int32, update_format=4 UpdateFormat, descending_order=5 bool, page_token=6 ?bytes;
      GetUpdatesPageResponse: updates=1 *GetUpdateResponse, lowest_page_offset_exclusive=2 int64,
        highest_page_offset_inclusive=3 int64, next_page_token=4 ?bytes;
    `,
    services: `
      UpdateService: GetUpdates GetUpdatesRequest stream GetUpdatesResponse, GetUpdateByOffset
        GetUpdateByOffsetRequest GetUpdateResponse, GetUpdateById GetUpdateByIdRequest GetUpdateResponse,
        GetUpdatesPage GetUpdatesPageRequest GetUpdatesPageResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/version_service.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['com/daml/ledger/api/v2/experimental_features.proto', 'google/protobuf/duration.proto'],
    messages: `
      GetLedgerApiVersionRequest:;
      GetLedgerApiVersionResponse: version=1 string, features=2 FeaturesDescriptor;
      FeaturesDescriptor: experimental=1 ExperimentalFeatures, user_management=2 UserManagementFeature,
        party_management=3 PartyManagementFeature, offset_checkpoint=4 OffsetCheckpointFeature,
        package_feature=5 PackageFeature;
      UserManagementFeature: supported=1 bool, max_rights_per_user=2 int32, max_users_page_size=3 int32;
      PartyManagementFeature: max_parties_page_size=1 int32;
      PackageFeature: max_vetted_packages_page_size=1 int32;
      OffsetCheckpointFeature: max_offset_checkpoint_emission_delay=1 google.protobuf.Duration;
    `,
    services: `
      VersionService: GetLedgerApiVersion GetLedgerApiVersionRequest GetLedgerApiVersionResponse;
    `,
  },
]
