// The services of Canton's Admin API that read the topology, as far as this node has them. Names and numbers as in Canton
// 3.5; format: messages.ts.
import type { FileTable } from '../messages.ts'

const canton = 'com/digitalasset/canton'
const googleTypes = ['google/protobuf/empty.proto', 'google/protobuf/timestamp.proto']

export const adminTopologyFiles: readonly FileTable[] = [
  {
    name: `${canton}/crypto/v30/crypto.proto`,
    package: 'com.digitalasset.canton.crypto.v30',
    messages: `
      SigningPublicKey: format=2 CryptoKeyFormat, public_key=3 bytes, scheme=4 SigningKeyScheme, usage=5
        *SigningKeyUsage, key_spec=6 SigningKeySpec;
      SigningKeysWithThreshold: keys=1 *SigningPublicKey, threshold=2 uint32;
    `,
    enums: `
      CryptoKeyFormat: CRYPTO_KEY_FORMAT_UNSPECIFIED=0, CRYPTO_KEY_FORMAT_DER=2, CRYPTO_KEY_FORMAT_RAW=3,
        CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO=4, CRYPTO_KEY_FORMAT_DER_PKCS8_PRIVATE_KEY_INFO=5;
      SigningKeyScheme: SIGNING_KEY_SCHEME_UNSPECIFIED=0, SIGNING_KEY_SCHEME_ED25519=1,
        SIGNING_KEY_SCHEME_EC_DSA_P256=2, SIGNING_KEY_SCHEME_EC_DSA_P384=3;
      SigningKeyUsage: SIGNING_KEY_USAGE_UNSPECIFIED=0, SIGNING_KEY_USAGE_NAMESPACE=1,
        SIGNING_KEY_USAGE_IDENTITY_DELEGATION=2, SIGNING_KEY_USAGE_SEQUENCER_AUTHENTICATION=3,
        SIGNING_KEY_USAGE_PROTOCOL=4, SIGNING_KEY_USAGE_PROOF_OF_OWNERSHIP=5;
      SigningKeySpec: SIGNING_KEY_SPEC_UNSPECIFIED=0, SIGNING_KEY_SPEC_EC_CURVE25519=1, SIGNING_KEY_SPEC_EC_P256=2,
        SIGNING_KEY_SPEC_EC_P384=3, SIGNING_KEY_SPEC_EC_SECP256K1=4;
    `,
  },
  {
    name: `${canton}/protocol/v30/topology.proto`,
    package: 'com.digitalasset.canton.protocol.v30',
    imports: [`${canton}/crypto/v30/crypto.proto`, 'google/protobuf/timestamp.proto'],
    messages: `
      Enums:;
      SynchronizerTrustCertificate: participant_uid=1 string, synchronizer_id=2 string, feature_flags=5
        *Enums.ParticipantFeatureFlag;
      ParticipantSynchronizerLimits: confirmation_requests_max_rate=1 uint32;
      ParticipantSynchronizerPermission: synchronizer_id=1 string, participant_uid=2 string, permission=3
        Enums.ParticipantPermission, limits=4 ParticipantSynchronizerLimits, login_after=5 ?int64;
      VettedPackages: participant_uid=1 string, package_ids=2 *string, packages=4 *VettedPackages.VettedPackage;
      VettedPackages.VettedPackage: package_id=1 string, valid_from_inclusive=2 google.protobuf.Timestamp,
        valid_until_exclusive=3 google.protobuf.Timestamp;
      PartyToParticipant: party=1 string, threshold=2 uint32, participants=3 *PartyToParticipant.HostingParticipant,
        party_signing_keys=6 ?com.digitalasset.canton.crypto.v30.SigningKeysWithThreshold;
      PartyToParticipant.HostingParticipant: participant_uid=1 string, permission=2 Enums.ParticipantPermission,
        onboarding=3 PartyToParticipant.HostingParticipant.Onboarding;
      PartyToParticipant.HostingParticipant.Onboarding:;
    `,
    enums: `
      Enums.TopologyChangeOp: TOPOLOGY_CHANGE_OP_UNSPECIFIED=0, TOPOLOGY_CHANGE_OP_ADD_REPLACE=1,
        TOPOLOGY_CHANGE_OP_REMOVE=2;
      Enums.ParticipantPermission: PARTICIPANT_PERMISSION_UNSPECIFIED=0, PARTICIPANT_PERMISSION_SUBMISSION=1,
        PARTICIPANT_PERMISSION_CONFIRMATION=2, PARTICIPANT_PERMISSION_OBSERVATION=3;
      Enums.ParticipantFeatureFlag: PARTICIPANT_FEATURE_FLAG_UNSPECIFIED=0,
        PARTICIPANT_FEATURE_FLAG_PV33_EXTERNAL_SIGNING_LOCAL_CONTRACT_IN_SUBVIEW=1,
        PARTICIPANT_FEATURE_FLAG_ENABLE_MULTI_SYNCHRONIZER=2;
    `,
  },
  {
    name: `${canton}/topology/admin/v30/common.proto`,
    package: 'com.digitalasset.canton.topology.admin.v30',
    messages: `
      Synchronizer: kind.id=1 string, kind.physical_id=2 string;
      StoreId: store.authorized=1 StoreId.Authorized, store.synchronizer=2 Synchronizer, store.temporary=3
        StoreId.Temporary;
      StoreId.Authorized:;
      StoreId.Temporary: name=1 string;
    `,
  },
  {
    name: `${canton}/topology/admin/v30/topology_manager_read_service.proto`,
    package: 'com.digitalasset.canton.topology.admin.v30',
    imports: [`${canton}/protocol/v30/topology.proto`, `${canton}/topology/admin/v30/common.proto`, ...googleTypes],
    messages: `
      BaseQuery: store=1 StoreId, proposals=2 bool, operation=3
        com.digitalasset.canton.protocol.v30.Enums.TopologyChangeOp, time_query.snapshot=5 google.protobuf.Timestamp,
        time_query.head_state=6 google.protobuf.Empty, time_query.range=7 BaseQuery.TimeRange, filter_signed_key=8
        string, protocol_version=9 ?int32;
      BaseQuery.TimeRange: from=1 google.protobuf.Timestamp, until=2 google.protobuf.Timestamp;
      BaseResult: store=1 StoreId, sequenced=2 google.protobuf.Timestamp, valid_from=3 google.protobuf.Timestamp,
        valid_until=4 google.protobuf.Timestamp, operation=5
        com.digitalasset.canton.protocol.v30.Enums.TopologyChangeOp, transaction_hash=6 bytes, serial=7 int32,
        signed_by_fingerprints=8 *string;
      ListSynchronizerTrustCertificateRequest: base_query=1 BaseQuery, filter_uid=2 string;
      ListSynchronizerTrustCertificateResponse: results=1 *ListSynchronizerTrustCertificateResponse.Result;
      ListSynchronizerTrustCertificateResponse.Result: context=1 BaseResult, item=2
        com.digitalasset.canton.protocol.v30.SynchronizerTrustCertificate;
      ListParticipantSynchronizerPermissionRequest: base_query=1 BaseQuery, filter_uid=2 string;
      ListParticipantSynchronizerPermissionResponse: results=1 *ListParticipantSynchronizerPermissionResponse.Result;
      ListParticipantSynchronizerPermissionResponse.Result: context=1 BaseResult, item=2
        com.digitalasset.canton.protocol.v30.ParticipantSynchronizerPermission;
      ListVettedPackagesRequest: base_query=1 BaseQuery, filter_participant=2 string;
      ListVettedPackagesResponse: results=1 *ListVettedPackagesResponse.Result;
      ListVettedPackagesResponse.Result: context=1 BaseResult, item=2
        com.digitalasset.canton.protocol.v30.VettedPackages;
      ListPartyToParticipantRequest: base_query=1 BaseQuery, filter_party=2 string, filter_participant=3 string;
      ListPartyToParticipantResponse: results=2 *ListPartyToParticipantResponse.Result;
      ListPartyToParticipantResponse.Result: context=1 BaseResult, item=2
        com.digitalasset.canton.protocol.v30.PartyToParticipant;
      ListAvailableStoresRequest:;
      ListAvailableStoresResponse: store_ids=1 *StoreId;
    `,
    services: `
      TopologyManagerReadService: ListSynchronizerTrustCertificate ListSynchronizerTrustCertificateRequest
        ListSynchronizerTrustCertificateResponse, ListParticipantSynchronizerPermission
        ListParticipantSynchronizerPermissionRequest ListParticipantSynchronizerPermissionResponse,
        ListVettedPackages ListVettedPackagesRequest ListVettedPackagesResponse, ListPartyToParticipant
        ListPartyToParticipantRequest ListPartyToParticipantResponse, ListAvailableStores ListAvailableStoresRequest
        ListAvailableStoresResponse;
    `,
  },
  {
    name: `${canton}/topology/admin/v30/topology_aggregation_service.proto`,
    package: 'com.digitalasset.canton.topology.admin.v30',
    imports: [`${canton}/protocol/v30/topology.proto`, 'google/protobuf/timestamp.proto'],
    messages: `
      ListPartiesRequest: as_of=1 google.protobuf.Timestamp, limit=2 int32, synchronizer_ids=3 *string, filter_party=4
        string, filter_participant=5 string;
      ListPartiesResponse: results=2 *ListPartiesResponse.Result;
      ListPartiesResponse.Result: party=1 string, participants=2 *ListPartiesResponse.Result.ParticipantSynchronizers;
      ListPartiesResponse.Result.ParticipantSynchronizers: participant_uid=1 string, synchronizers=2
        *ListPartiesResponse.Result.ParticipantSynchronizers.SynchronizerPermissions;
      ListPartiesResponse.Result.ParticipantSynchronizers.SynchronizerPermissions: synchronizer_id=1 string,
        permission=2 com.digitalasset.canton.protocol.v30.Enums.ParticipantPermission, physical_synchronizer_id=3
        string;
    `,
    services: `
      TopologyAggregationService: ListParties ListPartiesRequest ListPartiesResponse;
    `,
  },
  {
    name: `${canton}/topology/admin/v30/initialization_service.proto`,
    package: 'com.digitalasset.canton.topology.admin.v30',
    messages: `
      GetIdRequest:;
      GetIdResponse: initialized=1 bool, unique_identifier=2 string;
      CurrentTimeRequest:;
      CurrentTimeResponse: current_time=1 int64;
    `,
    services: `
      IdentityInitializationService: GetId GetIdRequest GetIdResponse, CurrentTime CurrentTimeRequest
        CurrentTimeResponse;
    `,
  },
]
