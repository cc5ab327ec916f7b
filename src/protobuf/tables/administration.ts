// The services of administrators. Names and numbers as in Canton 3.5; format: messages.ts.
import type { FileTable } from '../messages.ts'

export const administrationFiles: readonly FileTable[] = [
  {
    name: 'com/daml/ledger/api/v2/admin/command_inspection_service.proto',
    package: 'com.daml.ledger.api.v2.admin',
    imports: [
      'com/daml/ledger/api/v2/commands.proto',
      'com/daml/ledger/api/v2/completion.proto',
      'com/daml/ledger/api/v2/value.proto',
      'google/protobuf/timestamp.proto',
    ],
    messages: `
      GetCommandStatusRequest: command_id_prefix=1 string, state=2 CommandState, limit=3 uint32;
      GetCommandStatusResponse: command_status=1 *CommandStatus;
      Timing: description=1 string, duration_ms=2 uint32;
      CommandStatus: started=1 google.protobuf.Timestamp, completed=2 google.protobuf.Timestamp, completion=3
        Completion, state=4 CommandState, commands=5 *Command, request_statistics=6 RequestStatistics, updates=7
        CommandUpdates, synchronizer_id=8 string, timings=9 *Timing;
      RequestStatistics: envelopes=1 uint32, request_size=2 uint32, recipients=3 uint32;
      CommandUpdates: created=1 *Contract, archived=2 *Contract, exercised=3 uint32, fetched=4 uint32,
        looked_up_by_key=5 uint32;
      Contract: template_id=1 Identifier, contract_id=2 string, contract_key=3 Value;
    `,
    enums: `
      CommandState: COMMAND_STATE_UNSPECIFIED=0, COMMAND_STATE_PENDING=1, COMMAND_STATE_SUCCEEDED=2,
        COMMAND_STATE_FAILED=3;
    `,
    services: `
      CommandInspectionService: GetCommandStatus GetCommandStatusRequest GetCommandStatusResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/admin/identity_provider_config_service.proto',
    package: 'com.daml.ledger.api.v2.admin',
    imports: ['google/protobuf/field_mask.proto'],
    messages: `
      IdentityProviderConfig: identity_provider_id=1 string, is_deactivated=2 bool, issuer=3 string, jwks_url=4
        string, audience=5 string;
      CreateIdentityProviderConfigRequest: identity_provider_config=1 IdentityProviderConfig;
      CreateIdentityProviderConfigResponse: identity_provider_config=1 IdentityProviderConfig;
      GetIdentityProviderConfigRequest: identity_provider_id=1 string;
      GetIdentityProviderConfigResponse: identity_provider_config=1 IdentityProviderConfig;
      ListIdentityProviderConfigsRequest:;
      ListIdentityProviderConfigsResponse: identity_provider_configs=1 *IdentityProviderConfig;
      UpdateIdentityProviderConfigRequest: identity_provider_config=1 IdentityProviderConfig, update_mask=2
        google.protobuf.FieldMask;
      UpdateIdentityProviderConfigResponse: identity_provider_config=1 IdentityProviderConfig;
      DeleteIdentityProviderConfigRequest: identity_provider_id=1 string;
      DeleteIdentityProviderConfigResponse:;
    `,
    services: `
      IdentityProviderConfigService: CreateIdentityProviderConfig CreateIdentityProviderConfigRequest
        CreateIdentityProviderConfigResponse, GetIdentityProviderConfig GetIdentityProviderConfigRequest
        GetIdentityProviderConfigResponse, UpdateIdentityProviderConfig UpdateIdentityProviderConfigRequest
        UpdateIdentityProviderConfigResponse, ListIdentityProviderConfigs ListIdentityProviderConfigsRequest
        ListIdentityProviderConfigsResponse, DeleteIdentityProviderConfig DeleteIdentityProviderConfigRequest
        DeleteIdentityProviderConfigResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/admin/object_meta.proto',
    package: 'com.daml.ledger.api.v2.admin',
    messages: `
      ObjectMeta: resource_version=6 string, annotations=12 {string};
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/admin/package_management_service.proto',
    package: 'com.daml.ledger.api.v2.admin',
    imports: ['com/daml/ledger/api/v2/package_reference.proto', 'google/protobuf/timestamp.proto'],
    messages: `
      ListKnownPackagesRequest:;
      ListKnownPackagesResponse: package_details=1 *PackageDetails;
      PackageDetails: package_id=1 string, package_size=2 uint64, known_since=3 google.protobuf.Timestamp,
        name=4 string, version=5 string;
      UploadDarFileRequest: dar_file=1 bytes, submission_id=2 string, vetting_change=3
        UploadDarFileRequest.VettingChange, synchronizer_id=4 string;
      UploadDarFileResponse:;
      ValidateDarFileRequest: dar_file=1 bytes, submission_id=2 string, synchronizer_id=4 string;
      ValidateDarFileResponse:;
      VettedPackagesChange: operation.vet=1 VettedPackagesChange.Vet, operation.unvet=2
        VettedPackagesChange.Unvet;
      VettedPackagesChange.Unvet: packages=1 *VettedPackagesRef;
      VettedPackagesChange.Vet: packages=1 *VettedPackagesRef, new_valid_from_inclusive=2
        google.protobuf.Timestamp, new_valid_until_exclusive=3 google.protobuf.Timestamp;
      VettedPackagesRef: package_id=1 string, package_name=2 string, package_version=3 string;
      UpdateVettedPackagesRequest: changes=1 *VettedPackagesChange, dry_run=2 bool, synchronizer_id=3 string,
        expected_topology_serial=4 PriorTopologySerial, update_vetted_packages_force_flags=5
        *UpdateVettedPackagesForceFlag;
      UpdateVettedPackagesResponse: past_vetted_packages=1 VettedPackages, new_vetted_packages=2 VettedPackages;
    `,
    enums: `
      UploadDarFileRequest.VettingChange: VETTING_CHANGE_UNSPECIFIED=0, VETTING_CHANGE_VET_ALL_PACKAGES=1,
        VETTING_CHANGE_DONT_VET_ANY_PACKAGES=2;
      UpdateVettedPackagesForceFlag: UPDATE_VETTED_PACKAGES_FORCE_FLAG_UNSPECIFIED=0,
        UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_VET_INCOMPATIBLE_UPGRADES=2,
        UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_UNVETTED_DEPENDENCIES=3;
    `,
    services: `
      PackageManagementService: ListKnownPackages ListKnownPackagesRequest ListKnownPackagesResponse,
        UploadDarFile UploadDarFileRequest UploadDarFileResponse, ValidateDarFile ValidateDarFileRequest
        ValidateDarFileResponse, UpdateVettedPackages UpdateVettedPackagesRequest UpdateVettedPackagesResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/admin/participant_pruning_service.proto',
    package: 'com.daml.ledger.api.v2.admin',
    messages: `
      PruneRequest: prune_up_to=1 int64, submission_id=2 string, prune_all_divulged_contracts=3 bool;
      PruneResponse:;
    `,
    services: `
      ParticipantPruningService: Prune PruneRequest PruneResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/admin/party_management_service.proto',
    package: 'com.daml.ledger.api.v2.admin',
    imports: [
      'com/daml/ledger/api/v2/admin/object_meta.proto',
      'com/daml/ledger/api/v2/crypto.proto',
      'google/protobuf/field_mask.proto',
    ],
    messages: `
      GetParticipantIdRequest:;
      GetParticipantIdResponse: participant_id=1 string;
      GetPartiesRequest: parties=1 *string, identity_provider_id=2 string;
      GetPartiesResponse: party_details=1 *PartyDetails;
      ListKnownPartiesRequest: page_token=2 string, page_size=3 int32, identity_provider_id=1 string,
        filter_party=4 string;
      ListKnownPartiesResponse: party_details=1 *PartyDetails, next_page_token=2 string;
      AllocatePartyRequest: party_id_hint=1 string, local_metadata=3 ObjectMeta, identity_provider_id=4 string,
        synchronizer_id=5 string, user_id=6 string;
      AllocatePartyResponse: party_details=1 PartyDetails;
      AllocateExternalPartyRequest: synchronizer=1 string, onboarding_transactions=2
        *AllocateExternalPartyRequest.SignedTransaction, multi_hash_signatures=3 *Signature,
        identity_provider_id=4 string, wait_for_allocation=5 ?bool, user_id=6 string;
      AllocateExternalPartyRequest.SignedTransaction: transaction=1 bytes, signatures=2 *Signature;
      AllocateExternalPartyResponse: party_id=1 string;
      UpdatePartyDetailsRequest: party_details=1 PartyDetails, update_mask=2 google.protobuf.FieldMask;
      UpdatePartyDetailsResponse: party_details=1 PartyDetails;
      PartyDetails: party=1 string, is_local=3 bool, local_metadata=4 ObjectMeta, identity_provider_id=5 string;
      UpdatePartyIdentityProviderIdRequest: party=1 string, source_identity_provider_id=2 string,
        target_identity_provider_id=3 string;
      UpdatePartyIdentityProviderIdResponse:;
      GenerateExternalPartyTopologyRequest: synchronizer=1 string, party_hint=2 string, public_key=3
        SigningPublicKey, local_participant_observation_only=4 bool, other_confirming_participant_uids=5
        *string, confirmation_threshold=6 uint32, observing_participant_uids=7 *string;
      GenerateExternalPartyTopologyResponse: party_id=1 string, public_key_fingerprint=2 string,
        topology_transactions=3 *bytes, multi_hash=4 bytes;
    `,
    services: `
      PartyManagementService: GetParticipantId GetParticipantIdRequest GetParticipantIdResponse, GetParties
        GetPartiesRequest GetPartiesResponse, ListKnownParties ListKnownPartiesRequest ListKnownPartiesResponse,
        AllocateParty AllocatePartyRequest AllocatePartyResponse, AllocateExternalParty
        AllocateExternalPartyRequest AllocateExternalPartyResponse, UpdatePartyDetails UpdatePartyDetailsRequest
        UpdatePartyDetailsResponse, UpdatePartyIdentityProviderId UpdatePartyIdentityProviderIdRequest
        UpdatePartyIdentityProviderIdResponse, GenerateExternalPartyTopology
        GenerateExternalPartyTopologyRequest GenerateExternalPartyTopologyResponse;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/admin/user_management_service.proto',
    package: 'com.daml.ledger.api.v2.admin',
    imports: ['com/daml/ledger/api/v2/admin/object_meta.proto', 'google/protobuf/field_mask.proto'],
    messages: `
      User: id=1 string, primary_party=2 string, is_deactivated=3 bool, metadata=4 ObjectMeta,
        identity_provider_id=5 string, primary_party_authentication=6 bool;
      Right: kind.participant_admin=1 Right.ParticipantAdmin, kind.can_act_as=2 Right.CanActAs,
        kind.can_read_as=3 Right.CanReadAs, kind.identity_provider_admin=4 Right.IdentityProviderAdmin,
        kind.can_read_as_any_party=5 Right.CanReadAsAnyParty, kind.can_execute_as=6 Right.CanExecuteAs,
        kind.can_execute_as_any_party=7 Right.CanExecuteAsAnyParty;
      Right.ParticipantAdmin:;
      Right.CanActAs: party=1 string;
      Right.CanReadAs: party=1 string;
      Right.CanExecuteAs: party=1 string;
      Right.IdentityProviderAdmin:;
      Right.CanReadAsAnyParty:;
      Right.CanExecuteAsAnyParty:;
      CreateUserRequest: user=1 User, rights=2 *Right;
      CreateUserResponse: user=1 User;
      GetUserRequest: user_id=1 string, identity_provider_id=2 string;
      GetUserResponse: user=1 User;
      UpdateUserRequest: user=1 User, update_mask=2 google.protobuf.FieldMask;
      UpdateUserResponse: user=1 User;
      DeleteUserRequest: user_id=1 string, identity_provider_id=2 string;
      DeleteUserResponse:;
      ListUsersRequest: page_token=2 string, page_size=3 int32, identity_provider_id=4 string;
      ListUsersResponse: users=1 *User, next_page_token=2 string;
      GrantUserRightsRequest: user_id=1 string, rights=2 *Right, identity_provider_id=3 string;
      GrantUserRightsResponse: newly_granted_rights=1 *Right;
      RevokeUserRightsRequest: user_id=1 string, rights=2 *Right, identity_provider_id=3 string;
      RevokeUserRightsResponse: newly_revoked_rights=1 *Right;
      ListUserRightsRequest: user_id=1 string, identity_provider_id=2 string;
      ListUserRightsResponse: rights=1 *Right;
      UpdateUserIdentityProviderIdRequest: user_id=1 string, source_identity_provider_id=2 string,
        target_identity_provider_id=3 string;
      UpdateUserIdentityProviderIdResponse:;
    `,
    services: `
      UserManagementService: CreateUser CreateUserRequest CreateUserResponse, GetUser GetUserRequest
        GetUserResponse, UpdateUser UpdateUserRequest UpdateUserResponse, DeleteUser DeleteUserRequest
        DeleteUserResponse, ListUsers ListUsersRequest ListUsersResponse, GrantUserRights GrantUserRightsRequest
        GrantUserRightsResponse, RevokeUserRights RevokeUserRightsRequest RevokeUserRightsResponse,
        ListUserRights ListUserRightsRequest ListUserRightsResponse, UpdateUserIdentityProviderId
        UpdateUserIdentityProviderIdRequest UpdateUserIdentityProviderIdResponse;
    `,
  },
]
