// The well-known messages of Google that the Ledger API uses. Names and numbers as in Canton 3.5; format: messages.ts.
import type { FileTable } from '../messages.ts'

export const googleFiles: readonly FileTable[] = [
  {
    name: 'google/protobuf/any.proto',
    package: 'google.protobuf',
    messages: `
      Any: type_url=1 string, value=2 bytes;
    `,
  },
  {
    name: 'google/protobuf/duration.proto',
    package: 'google.protobuf',
    messages: `
      Duration: seconds=1 int64, nanos=2 int32;
    `,
  },
  {
    name: 'google/protobuf/empty.proto',
    package: 'google.protobuf',
    messages: `
      Empty:;
    `,
  },
  {
    name: 'google/protobuf/field_mask.proto',
    package: 'google.protobuf',
    messages: `
      FieldMask: paths=1 *string;
    `,
  },
  {
    name: 'google/protobuf/timestamp.proto',
    package: 'google.protobuf',
    messages: `
      Timestamp: seconds=1 int64, nanos=2 int32;
    `,
  },
  {
    name: 'google/rpc/status.proto',
    package: 'google.rpc',
    imports: ['google/protobuf/any.proto'],
    messages: `
      Status: code=1 int32, message=2 string, details=3 *google.protobuf.Any;
    `,
  },
]
