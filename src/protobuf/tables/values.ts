// Values, commands and what both reads and submissions mention. Names and numbers as in Canton 3.5; format: messages.ts.
import type { FileTable } from '../messages.ts'

export const valuesFiles: readonly FileTable[] = [
  {
    name: 'com/daml/ledger/api/v2/commands.proto',
    package: 'com.daml.ledger.api.v2',
    imports: [
      'com/daml/ledger/api/v2/value.proto',
      'google/protobuf/duration.proto',
      'google/protobuf/timestamp.proto',
    ],
    messages: `
      Command: command.create=1 CreateCommand, command.exercise=2 ExerciseCommand, command.exercise_by_key=4
        ExerciseByKeyCommand, command.create_and_exercise=3 CreateAndExerciseCommand;
      CreateCommand: template_id=1 Identifier, create_arguments=2 Record;
      ExerciseCommand: template_id=1 Identifier, contract_id=2 string, choice=3 string, choice_argument=4 Value;
      ExerciseByKeyCommand: template_id=1 Identifier, contract_key=2 Value, choice=3 string, choice_argument=4
        Value;
      CreateAndExerciseCommand: template_id=1 Identifier, create_arguments=2 Record, choice=3 string,
        choice_argument=4 Value;
      DisclosedContract: template_id=1 Identifier, contract_id=2 string, created_event_blob=3 bytes,
        synchronizer_id=4 string;
      Commands: workflow_id=1 string, user_id=2 string, command_id=3 string, commands=4 *Command,
        deduplication_period.deduplication_duration=5 google.protobuf.Duration,
        deduplication_period.deduplication_offset=6 int64, min_ledger_time_abs=7 google.protobuf.Timestamp,
        min_ledger_time_rel=8 google.protobuf.Duration, act_as=9 *string, read_as=10 *string, submission_id=11
        string, disclosed_contracts=12 *DisclosedContract, synchronizer_id=13 string,
        package_id_selection_preference=14 *string, prefetch_contract_keys=15 *PrefetchContractKey,
        taps_max_passes=16 ?uint32;
      PrefetchContractKey: template_id=1 Identifier, contract_key=2 Value, limit=3 ?uint32;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/completion.proto',
    package: 'com.daml.ledger.api.v2',
    imports: [
      'com/daml/ledger/api/v2/offset_checkpoint.proto',
      'com/daml/ledger/api/v2/trace_context.proto',
      'google/protobuf/duration.proto',
      'google/rpc/status.proto',
    ],
    messages: `
      Completion: command_id=1 string, status=2 google.rpc.Status, update_id=3 string, user_id=4 string,
        act_as=5 *string, submission_id=6 string, deduplication_period.deduplication_offset=7 int64,
        deduplication_period.deduplication_duration=8 google.protobuf.Duration, trace_context=9 TraceContext,
        offset=10 int64, synchronizer_time=11 SynchronizerTime, paid_traffic_cost=12 int64;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/crypto.proto',
    package: 'com.daml.ledger.api.v2',
    messages: `
      SigningPublicKey: format=1 CryptoKeyFormat, key_data=2 bytes, key_spec=3 SigningKeySpec;
      Signature: format=1 SignatureFormat, signature=2 bytes, signed_by=3 string, signing_algorithm_spec=4
        SigningAlgorithmSpec;
    `,
    enums: `
      SigningKeySpec: SIGNING_KEY_SPEC_UNSPECIFIED=0, SIGNING_KEY_SPEC_EC_CURVE25519=1,
        SIGNING_KEY_SPEC_EC_P256=2, SIGNING_KEY_SPEC_EC_P384=3, SIGNING_KEY_SPEC_EC_SECP256K1=4;
      CryptoKeyFormat: CRYPTO_KEY_FORMAT_UNSPECIFIED=0, CRYPTO_KEY_FORMAT_DER=1, CRYPTO_KEY_FORMAT_RAW=2,
        CRYPTO_KEY_FORMAT_DER_X509_SUBJECT_PUBLIC_KEY_INFO=3;
      SigningAlgorithmSpec: SIGNING_ALGORITHM_SPEC_UNSPECIFIED=0, SIGNING_ALGORITHM_SPEC_ED25519=1,
        SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_256=2, SIGNING_ALGORITHM_SPEC_EC_DSA_SHA_384=3;
      SignatureFormat: SIGNATURE_FORMAT_UNSPECIFIED=0, SIGNATURE_FORMAT_RAW=1, SIGNATURE_FORMAT_DER=2,
        SIGNATURE_FORMAT_CONCAT=3, SIGNATURE_FORMAT_SYMBOLIC=10000;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/offset_checkpoint.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['google/protobuf/timestamp.proto'],
    messages: `
      OffsetCheckpoint: offset=1 int64, synchronizer_times=2 *SynchronizerTime;
      SynchronizerTime: synchronizer_id=1 string, record_time=2 google.protobuf.Timestamp;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/package_reference.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['google/protobuf/empty.proto', 'google/protobuf/timestamp.proto'],
    messages: `
      PackageReference: package_id=1 string, package_name=2 string, package_version=3 string;
      VettedPackage: package_id=1 string, valid_from_inclusive=2 google.protobuf.Timestamp,
        valid_until_exclusive=3 google.protobuf.Timestamp, package_name=4 string, package_version=5 string;
      VettedPackages: packages=1 *VettedPackage, participant_id=2 string, synchronizer_id=3 string,
        topology_serial=4 uint32;
      PriorTopologySerial: serial.prior=1 uint32, serial.no_prior=2 google.protobuf.Empty;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/reassignment_commands.proto',
    package: 'com.daml.ledger.api.v2',
    messages: `
      ReassignmentCommands: workflow_id=1 string, user_id=2 string, command_id=3 string, submitter=4 string,
        submission_id=5 string, commands=6 *ReassignmentCommand;
      ReassignmentCommand: command.unassign_command=1 UnassignCommand, command.assign_command=2 AssignCommand;
      UnassignCommand: contract_id=1 string, source=2 string, target=3 string;
      AssignCommand: reassignment_id=1 string, source=2 string, target=3 string;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/trace_context.proto',
    package: 'com.daml.ledger.api.v2',
    messages: `
      TraceContext: traceparent=1 ?string, tracestate=2 ?string;
    `,
  },
  {
    name: 'com/daml/ledger/api/v2/value.proto',
    package: 'com.daml.ledger.api.v2',
    imports: ['google/protobuf/empty.proto'],
    messages: `
      Value: sum.unit=1 google.protobuf.Empty, sum.bool=2 bool, sum.int64=3 sint64, sum.date=4 int32,
        sum.timestamp=5 sfixed64, sum.numeric=6 string, sum.party=7 string, sum.text=8 string, sum.contract_id=9
        string, sum.optional=10 Optional, sum.list=11 List, sum.text_map=12 TextMap, sum.gen_map=13 GenMap,
        sum.record=14 Record, sum.variant=15 Variant, sum.enum=16 Enum;
      Record: record_id=1 Identifier, fields=2 *RecordField;
      RecordField: label=1 string, value=2 Value;
      Identifier: package_id=1 string, module_name=2 string, entity_name=3 string;
      Variant: variant_id=1 Identifier, constructor=2 string, value=3 Value;
      Enum: enum_id=1 Identifier, constructor=2 string;
      List: elements=1 *Value;
      Optional: value=1 Value;
      TextMap: entries=1 *TextMap.Entry;
      TextMap.Entry: key=1 string, value=2 Value;
      GenMap: entries=1 *GenMap.Entry;
      GenMap.Entry: key=1 Value, value=2 Value;
    `,
  },
]
