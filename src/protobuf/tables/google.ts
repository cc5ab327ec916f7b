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
    // No message of the API mentions these: reflection describes them, so that clients can read the details of errors.
    name: 'google/rpc/error_details.proto',
    package: 'google.rpc',
    imports: ['google/protobuf/duration.proto'],
    messages: `
      ErrorInfo: reason=1 string, domain=2 string, metadata=3 {string};
      RetryInfo: retry_delay=1 google.protobuf.Duration;
      RequestInfo: request_id=1 string, serving_data=2 string;
      ResourceInfo: resource_type=1 string, resource_name=2 string, owner=3 string, description=4 string;
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
