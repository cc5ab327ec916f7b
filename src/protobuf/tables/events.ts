// Events, updates, and the formats in which they are asked for. Names and numbers as in Canton 3.5; format: messages.ts.
import type { FileTable } from '../messages.ts'

export const eventsFiles: readonly FileTable[] = [
  {
    name: 'com/daml/ledger/api/v2/event.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['com/daml/ledger/api/v2/value.proto', 'google/protobuf/timestamp.proto', 'google/rpc/status.proto'],
    messages: `
      Event: event.created=1 CreatedEvent, event.archived=2 ArchivedEvent, event.exercised=3 ExercisedEvent;
      CreatedEvent: offset=1 int64, node_id=2 int32, contract_id=3 string, template_id=4 Identifier,
        contract_key=5 Value, contract_key_hash=16 bytes, create_arguments=6 Record, created_event_blob=7 bytes,
        interface_views=8 *InterfaceView, witness_parties=9 *string, signatories=10 *string, observers=11
        *string, created_at=12 google.protobuf.Timestamp, package_name=13 string, acs_delta=14 bool,
        representative_package_id=15 string;
      InterfaceView: interface_id=1 Identifier, view_status=2 google.rpc.Status, view_value=3 Record,
        implementation_package_id=4 string;
      ArchivedEvent: offset=1 int64, node_id=2 int32, contract_id=3 string, template_id=4 Identifier,
        witness_parties=5 *string, package_name=6 string, implemented_interfaces=7 *Identifier;
      ExercisedEvent: offset=1 int64, node_id=2 int32, contract_id=3 string, template_id=4 Identifier,
        interface_id=5 Identifier, choice=6 string, choice_argument=7 Value, acting_parties=8 *string,
        consuming=9 bool, witness_parties=10 *string, last_descendant_node_id=11 int32, exercise_result=12
        Value, package_name=13 string, implemented_interfaces=14 *Identifier, acs_delta=15 bool;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/reassignment.proto',
    package: 'com.daml.ledger.api.v2',
    imports: [
      'com/daml/ledger/api/v2/event.proto',
      'com/daml/ledger/api/v2/trace_context.proto',
      'com/daml/ledger/api/v2/value.proto',
      'google/protobuf/timestamp.proto',
    ],
    messages: `
      Reassignment: update_id=1 string, command_id=2 string, workflow_id=3 string, offset=4 int64, events=5
        *ReassignmentEvent, trace_context=6 TraceContext, record_time=7 google.protobuf.Timestamp,
        synchronizer_id=8 string, paid_traffic_cost=9 ?int64;
      ReassignmentEvent: event.unassigned=1 UnassignedEvent, event.assigned=2 AssignedEvent;
      UnassignedEvent: reassignment_id=1 string, contract_id=2 string, template_id=3 Identifier, source=4
        string, target=5 string, submitter=6 string, reassignment_counter=7 uint64, assignment_exclusivity=8
        google.protobuf.Timestamp, witness_parties=9 *string, package_name=10 string, offset=11 int64,
        node_id=12 int32;
      AssignedEvent: source=1 string, target=2 string, reassignment_id=3 string, submitter=4 string,
        reassignment_counter=5 uint64, created_event=6 CreatedEvent;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/topology_transaction.proto',
    package: 'com.daml.ledger.api.v2',
    imports: [
      'com/daml/ledger/api/v2/state_service.proto',
      'com/daml/ledger/api/v2/trace_context.proto',
      'google/protobuf/timestamp.proto',
    ],
    messages: `
      TopologyTransaction: update_id=1 string, offset=2 int64, synchronizer_id=3 string, record_time=4
        google.protobuf.Timestamp, events=5 *TopologyEvent, trace_context=6 TraceContext;
      TopologyEvent: event.participant_authorization_changed=1 ParticipantAuthorizationChanged,
        event.participant_authorization_revoked=2 ParticipantAuthorizationRevoked,
        event.participant_authorization_added=3 ParticipantAuthorizationAdded,
        event.participant_authorization_onboarding=4 ParticipantAuthorizationOnboarding;
      ParticipantAuthorizationAdded: party_id=1 string, participant_id=2 string, participant_permission=3
        ParticipantPermission;
      ParticipantAuthorizationChanged: party_id=1 string, participant_id=2 string, participant_permission=3
        ParticipantPermission;
      ParticipantAuthorizationRevoked: party_id=1 string, participant_id=2 string;
      ParticipantAuthorizationOnboarding: party_id=1 string, participant_id=2 string, participant_permission=3
        ParticipantPermission;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/transaction.proto',
    package: 'com.daml.ledger.api.v2',
    imports: [
      'com/daml/ledger/api/v2/event.proto',
      'com/daml/ledger/api/v2/trace_context.proto',
      'google/protobuf/timestamp.proto',
    ],
    messages: `
      Transaction: update_id=1 string, command_id=2 string, workflow_id=3 string, effective_at=4
        google.protobuf.Timestamp, events=5 *Event, offset=6 int64, synchronizer_id=7 string, trace_context=8
        TraceContext, record_time=9 google.protobuf.Timestamp, external_transaction_hash=10 ?bytes,
        paid_traffic_cost=11 ?int64;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/transaction_filter.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['com/daml/ledger/api/v2/value.proto'],
    messages: `
      Filters: cumulative=1 *CumulativeFilter;
      CumulativeFilter: identifier_filter.wildcard_filter=1 WildcardFilter, identifier_filter.interface_filter=2
        InterfaceFilter, identifier_filter.template_filter=3 TemplateFilter;
      WildcardFilter: include_created_event_blob=1 bool;
      InterfaceFilter: interface_id=1 Identifier, include_interface_view=2 bool, include_created_event_blob=3
        bool;
      TemplateFilter: template_id=1 Identifier, include_created_event_blob=2 bool;
      EventFormat: filters_by_party=1 {Filters}, filters_for_any_party=2 Filters, verbose=3 bool;
      TransactionFormat: event_format=1 EventFormat, transaction_shape=2 TransactionShape;
      TopologyFormat: include_participant_authorization_events=1 ParticipantAuthorizationTopologyFormat;
      ParticipantAuthorizationTopologyFormat: parties=1 *string;
      UpdateFormat: include_transactions=1 TransactionFormat, include_reassignments=2 EventFormat,
        include_topology_events=3 TopologyFormat;
    `,
    enums: `
      TransactionShape: TRANSACTION_SHAPE_UNSPECIFIED=0, TRANSACTION_SHAPE_ACS_DELTA=1,
        TRANSACTION_SHAPE_LEDGER_EFFECTS=2;
    `,
  },
]
