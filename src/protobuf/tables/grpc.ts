// The services besides the Ledger API: health v1 and reflection v1, which every gRPC server offers, and the one by which Canton's
// programs find out what answers on a port. Format: messages.ts.
import type { FileTable } from '../messages.ts'

export const grpcFiles: readonly FileTable[] = [
  {
    name: 'com/digitalasset/canton/connection/v30/api_info.proto',
    package: 'com.digitalasset.canton.connection.v30',
    messages: `
      GetApiInfoRequest:;
      GetApiInfoResponse: name=1 string;
    `,
    services: `
      ApiInfoService: GetApiInfo GetApiInfoRequest GetApiInfoResponse;
    `,
  },
  {
    name: 'grpc/health/v1/health.proto',
    package: 'grpc.health.v1',
    messages: `
      HealthCheckRequest: service=1 string;
      HealthCheckResponse: status=1 HealthCheckResponse.ServingStatus;
    `,
    enums: `
      HealthCheckResponse.ServingStatus: UNKNOWN=0, SERVING=1, NOT_SERVING=2, SERVICE_UNKNOWN=3;
    `,
    services: `
      Health: Check HealthCheckRequest HealthCheckResponse, Watch HealthCheckRequest stream HealthCheckResponse;
    `,
  },
  {
    name: 'grpc/reflection/v1/reflection.proto',
    package: 'grpc.reflection.v1',
    messages: `
      ServerReflectionRequest: host=1 string, message_request.file_by_filename=3 string,
        message_request.file_containing_symbol=4 string, message_request.file_containing_extension=5
        ExtensionRequest, message_request.all_extension_numbers_of_type=6 string, message_request.list_services=7
        string;
      ExtensionRequest: containing_type=1 string, extension_number=2 int32;
      ServerReflectionResponse: valid_host=1 string, original_request=2 ServerReflectionRequest,
        message_response.file_descriptor_response=4 FileDescriptorResponse,
        message_response.all_extension_numbers_response=5 ExtensionNumberResponse,
        message_response.list_services_response=6 ListServiceResponse, message_response.error_response=7
        ErrorResponse;
      FileDescriptorResponse: file_descriptor_proto=1 *bytes;
      ExtensionNumberResponse: base_type_name=1 string, extension_number=2 *int32;
      ListServiceResponse: service=1 *ServiceResponse;
      ServiceResponse: name=1 string;
      ErrorResponse: error_code=1 int32, error_message=2 string;
    `,
    services: `
      ServerReflection: ServerReflectionInfo stream ServerReflectionRequest stream ServerReflectionResponse;
    `,
  },
]
