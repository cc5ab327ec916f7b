// The services of Canton's Admin API that this node has, of a participant. Names and numbers as in Canton 3.5; format:
// messages.ts.
import type { FileTable } from '../messages.ts'

const canton = 'com/digitalasset/canton'

export const adminParticipantFiles: readonly FileTable[] = [
  {
    name: `${canton}/admin/health/v30/status_service.proto`,
    package: 'com.digitalasset.canton.admin.health.v30',
    imports: ['google/protobuf/duration.proto'],
    messages: `
      TopologyQueueStatus: manager=1 uint32, dispatcher=2 uint32, clients=3 uint32;
      ComponentStatus: name=1 string, status.ok=2 ComponentStatus.StatusData, status.degraded=3
        ComponentStatus.StatusData, status.failed=4 ComponentStatus.StatusData, status.fatal=5
        ComponentStatus.StatusData;
      ComponentStatus.StatusData: description=1 ?string;
      NotInitialized: active=1 bool, waiting_for_external_input=2 NotInitialized.WaitingForExternalInput, version=3
        string;
      Status: uid=1 string, uptime=2 google.protobuf.Duration, ports=3 {int32}, active=4 bool, topology_queues=5
        TopologyQueueStatus, components=6 *ComponentStatus, version=7 string;
    `,
    enums: `
      NotInitialized.WaitingForExternalInput: WAITING_FOR_EXTERNAL_INPUT_UNSPECIFIED=0,
        WAITING_FOR_EXTERNAL_INPUT_ID=1, WAITING_FOR_EXTERNAL_INPUT_NODE_TOPOLOGY=2,
        WAITING_FOR_EXTERNAL_INPUT_INITIALIZATION=3;
    `,
  },
  {
    name: `${canton}/admin/participant/v30/participant_status_service.proto`,
    package: 'com.digitalasset.canton.admin.participant.v30',
    imports: [`${canton}/admin/health/v30/status_service.proto`],
    messages: `
      ParticipantStatusRequest:;
      ConnectedSynchronizer: physical_synchronizer_id=1 string, health=2 ConnectedSynchronizer.Health;
      ParticipantStatusResponse: kind.status=1 ParticipantStatusResponse.ParticipantStatusResponseStatus,
        kind.not_initialized=2 com.digitalasset.canton.admin.health.v30.NotInitialized;
      ParticipantStatusResponse.ParticipantStatusResponseStatus: common_status=1
        com.digitalasset.canton.admin.health.v30.Status, connected_synchronizers=2 *ConnectedSynchronizer, active=3
        bool, supported_protocol_versions=4 *int32;
    `,
    enums: `
      ConnectedSynchronizer.Health: HEALTH_UNSPECIFIED=0, HEALTH_HEALTHY=1, HEALTH_UNHEALTHY=2;
    `,
    services: `
      ParticipantStatusService: ParticipantStatus ParticipantStatusRequest ParticipantStatusResponse;
    `,
  },
  {
    name: `${canton}/admin/sequencer/v30/sequencer_connection.proto`,
    package: 'com.digitalasset.canton.admin.sequencer.v30',
    imports: ['google/protobuf/duration.proto'],
    messages: `
      SequencerConnection: type.grpc=2 SequencerConnection.Grpc, alias=3 string, sequencer_id=4 ?string;
      SequencerConnection.Grpc: connections=1 *string, transport_security=2 bool, custom_trust_certificates=3 ?bytes;
      SequencerConnections: sequencer_connections=1 *SequencerConnection, sequencer_trust_threshold=2 uint32,
        submission_request_amplification=3 SubmissionRequestAmplification, sequencer_liveness_margin=4 uint32,
        sequencer_connection_pool_delays=5 SequencerConnectionPoolDelays;
      SubmissionRequestAmplification: factor=1 uint32, patience=2 google.protobuf.Duration,
        confirmation_response_factor=3 ?uint32, confirmation_response_patience=4 ?google.protobuf.Duration;
      SequencerConnectionPoolDelays: min_restart_delay=1 google.protobuf.Duration, max_restart_delay=2
        google.protobuf.Duration, subscription_request_delay=3 google.protobuf.Duration, warn_validation_delay=4
        google.protobuf.Duration;
    `,
    enums: `
      SequencerConnectionValidation: SEQUENCER_CONNECTION_VALIDATION_UNSPECIFIED=0,
        SEQUENCER_CONNECTION_VALIDATION_DISABLED=1, SEQUENCER_CONNECTION_VALIDATION_ACTIVE=2,
        SEQUENCER_CONNECTION_VALIDATION_ALL=3, SEQUENCER_CONNECTION_VALIDATION_THRESHOLD_ACTIVE=4;
    `,
  },
  {
    name: `${canton}/admin/time/v30/time_tracker_config.proto`,
    package: 'com.digitalasset.canton.admin.time.v30',
    imports: ['google/protobuf/duration.proto'],
    messages: `
      TimeProofRequestConfig: initial_retry_delay=1 google.protobuf.Duration, max_retry_delay=2
        google.protobuf.Duration, max_sequencing_delay=3 google.protobuf.Duration;
      SynchronizerTimeTrackerConfig: observation_latency=1 google.protobuf.Duration, patience_duration=2
        google.protobuf.Duration, min_observation_duration=3 google.protobuf.Duration, time_proof_request=4
        TimeProofRequestConfig;
    `,
  },
  {
    name: `${canton}/admin/topology/v30/common.proto`,
    package: 'com.digitalasset.canton.admin.topology.v30',
    imports: ['google/protobuf/timestamp.proto'],
    messages: `
      SynchronizerPredecessor: predecessor_physical_id=1 string, upgrade_time=2 google.protobuf.Timestamp,
        is_late_upgrade=3 bool;
    `,
  },
  {
    name: `${canton}/admin/participant/v30/synchronizer_connectivity_service.proto`,
    package: 'com.digitalasset.canton.admin.participant.v30',
    imports: [
      `${canton}/admin/sequencer/v30/sequencer_connection.proto`,
      `${canton}/admin/time/v30/time_tracker_config.proto`,
      `${canton}/admin/topology/v30/common.proto`,
      'google/protobuf/duration.proto',
    ],
    messages: `
      SynchronizerConnectionConfig: synchronizer_alias=1 string, sequencer_connections=2
        com.digitalasset.canton.admin.sequencer.v30.SequencerConnections, manual_connect=3 bool,
        physical_synchronizer_id=4 string, priority=5 int32, initial_retry_delay=6 google.protobuf.Duration,
        max_retry_delay=7 google.protobuf.Duration, time_tracker=8
        com.digitalasset.canton.admin.time.v30.SynchronizerTimeTrackerConfig,
        initialize_from_trusted_synchronizer=10 bool;
      ReconnectSynchronizersRequest: ignore_failures=1 bool;
      ReconnectSynchronizersResponse:;
      ListRegisteredSynchronizersRequest: all_statuses=1 bool;
      ListRegisteredSynchronizersResponse: results=1 *ListRegisteredSynchronizersResponse.Result;
      ListRegisteredSynchronizersResponse.Result: config=1 SynchronizerConnectionConfig, connected=2 bool,
        physical_synchronizer_id=3 ?string, status=4 ListRegisteredSynchronizersResponse.Status,
        synchronizer_predecessor=5 ?com.digitalasset.canton.admin.topology.v30.SynchronizerPredecessor;
      ReconnectSynchronizerRequest: synchronizer_alias=1 string, retry=2 bool;
      ReconnectSynchronizerResponse: connected_successfully=1 bool;
      ConnectSynchronizerRequest: config=1 SynchronizerConnectionConfig, sequencer_connection_validation=2
        com.digitalasset.canton.admin.sequencer.v30.SequencerConnectionValidation;
      ConnectSynchronizerResponse: connected_successfully=1 bool;
      DisconnectSynchronizerRequest: synchronizer_alias=1 string;
      DisconnectSynchronizerResponse:;
      DisconnectAllSynchronizersRequest:;
      DisconnectAllSynchronizersResponse:;
      ListConnectedSynchronizersRequest:;
      ListConnectedSynchronizersResponse: connected_synchronizers=1 *ListConnectedSynchronizersResponse.Result;
      ListConnectedSynchronizersResponse.Result: synchronizer_alias=1 string, synchronizer_id=2 string,
        physical_synchronizer_id=3 string, healthy=4 bool;
      GetSynchronizerIdRequest: synchronizer_alias=1 string;
      GetSynchronizerIdResponse: synchronizer_id=1 string, physical_synchronizer_id=2 string;
    `,
    enums: `
      ListRegisteredSynchronizersResponse.Status: STATUS_UNSPECIFIED=0, STATUS_ACTIVE=1,
        STATUS_HARD_MIGRATING_SOURCE=2, STATUS_HARD_MIGRATING_TARGET=3, STATUS_LSU_SOURCE=4, STATUS_LSU_TARGET=5,
        STATUS_INACTIVE=6;
    `,
    services: `
      SynchronizerConnectivityService: ConnectSynchronizer ConnectSynchronizerRequest ConnectSynchronizerResponse,
        ReconnectSynchronizers ReconnectSynchronizersRequest ReconnectSynchronizersResponse,
        ReconnectSynchronizer ReconnectSynchronizerRequest ReconnectSynchronizerResponse,
        DisconnectSynchronizer DisconnectSynchronizerRequest DisconnectSynchronizerResponse,
        DisconnectAllSynchronizers DisconnectAllSynchronizersRequest DisconnectAllSynchronizersResponse,
        ListConnectedSynchronizers ListConnectedSynchronizersRequest ListConnectedSynchronizersResponse,
        ListRegisteredSynchronizers ListRegisteredSynchronizersRequest ListRegisteredSynchronizersResponse,
        GetSynchronizerId GetSynchronizerIdRequest GetSynchronizerIdResponse;
    `,
  },
  {
    name: `${canton}/admin/participant/v30/package_service.proto`,
    package: 'com.digitalasset.canton.admin.participant.v30',
    imports: ['google/protobuf/timestamp.proto'],
    messages: `
      ListPackagesRequest: limit=1 int32, filter_name=2 string;
      PackageDescription: package_id=1 string, name=2 string, version=3 string, uploaded_at=4
        google.protobuf.Timestamp, size=5 uint32;
      ListPackagesResponse: package_descriptions=1 *PackageDescription;
      GetPackageContentsRequest: package_id=1 string;
      ModuleDescription: name=1 string;
      GetPackageContentsResponse: description=1 PackageDescription, modules=2 *ModuleDescription,
        is_utility_package=3 bool, language_version=4 string;
      GetPackageReferencesRequest: package_id=1 string;
      GetPackageReferencesResponse: dars=1 *DarDescription;
      ValidateDarRequest: data=1 bytes, filename=2 string, synchronizer_id=3 ?string;
      ValidateDarResponse: main_package_id=1 string;
      UploadDarRequest: dars=1 *UploadDarRequest.UploadDarData, vet_all_packages=2 bool, synchronize_vetting=3 bool,
        synchronizer_id=4 ?string;
      UploadDarRequest.UploadDarData: bytes=1 bytes, description=2 ?string, expected_main_package_id=3 ?string;
      UploadDarResponse: dar_ids=1 *string;
      DarDescription: main=1 string, name=2 string, version=3 string, description=4 string;
      ListDarsRequest: limit=1 int32, filter_name=2 string;
      ListDarsResponse: dars=1 *DarDescription;
      GetDarContentsRequest: main_package_id=1 string;
      GetDarContentsResponse: description=1 DarDescription, packages=2 *PackageDescription;
      VetDarRequest: main_package_id=1 string, synchronize=2 bool, synchronizer_id=3 ?string;
      VetDarResponse:;
      UnvetDarRequest: main_package_id=1 string, synchronizer_id=2 ?string;
      UnvetDarResponse:;
    `,
    services: `
      PackageService: ListPackages ListPackagesRequest ListPackagesResponse, GetPackageContents
        GetPackageContentsRequest GetPackageContentsResponse, GetPackageReferences GetPackageReferencesRequest
        GetPackageReferencesResponse, ValidateDar ValidateDarRequest ValidateDarResponse, UploadDar UploadDarRequest
        UploadDarResponse, ListDars ListDarsRequest ListDarsResponse, GetDarContents GetDarContentsRequest
        GetDarContentsResponse, VetDar VetDarRequest VetDarResponse, UnvetDar UnvetDarRequest UnvetDarResponse;
    `,
  },
  {
    name: `${canton}/admin/pruning/v30/pruning.proto`,
    package: 'com.digitalasset.canton.admin.pruning.v30',
    imports: ['google/protobuf/duration.proto'],
    messages: `
      GetScheduleRequest:;
      GetScheduleResponse: schedule=1 PruningSchedule;
      GetParticipantScheduleRequest:;
      GetParticipantScheduleResponse: schedule=1 ParticipantPruningSchedule;
      PruningSchedule: cron=1 string, max_duration=2 google.protobuf.Duration, retention=3 google.protobuf.Duration;
      ParticipantPruningSchedule: schedule=1 PruningSchedule, prune_internally_only=2 bool;
    `,
  },
  {
    name: `${canton}/admin/participant/v30/pruning_service.proto`,
    package: 'com.digitalasset.canton.admin.participant.v30',
    imports: [`${canton}/admin/pruning/v30/pruning.proto`],
    messages: `
      PruneRequest: prune_up_to=1 int64, counter_participants_commitments_state=2 ?SafeToPruneCommitmentState;
      PruneResponse:;
    `,
    enums: `
      SafeToPruneCommitmentState: SAFE_TO_PRUNE_COMMITMENT_STATE_UNSPECIFIED=0,
        SAFE_TO_PRUNE_COMMITMENT_STATE_MATCH=1, SAFE_TO_PRUNE_COMMITMENT_STATE_MATCH_MISMATCH=2,
        SAFE_TO_PRUNE_COMMITMENT_STATE_ALL=3;
    `,
    services: `
      PruningService: Prune PruneRequest PruneResponse, GetSchedule
        com.digitalasset.canton.admin.pruning.v30.GetScheduleRequest
        com.digitalasset.canton.admin.pruning.v30.GetScheduleResponse, GetParticipantSchedule
        com.digitalasset.canton.admin.pruning.v30.GetParticipantScheduleRequest
        com.digitalasset.canton.admin.pruning.v30.GetParticipantScheduleResponse;
    `,
  },
]
