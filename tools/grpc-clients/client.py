"""A Python client of the gRPC Ledger API: knows the messages from the node's reflection alone.
Usage: client.py HOST:PORT DAR, with TOKEN in the environment."""
import os
import sys

import grpc
from google.protobuf import descriptor_pool, message_factory
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status

api = "com.daml.ledger.api.v2."
address, dar = sys.argv[1:]
metadata = [("authorization", "Bearer " + os.environ["TOKEN"])]
channel = grpc.insecure_channel(address)
database = ProtoReflectionDescriptorDatabase(channel)
pool = descriptor_pool.DescriptorPool(database)


def message(name, **fields):
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(api + name))(**fields)


def call(path, **fields):
    service, name = path.split("/")
    method = pool.FindServiceByName(api + service).FindMethodByName(name)
    request, response = (message_factory.GetMessageClass(kind) for kind in (method.input_type, method.output_type))
    make = channel.unary_stream if method.server_streaming else channel.unary_unary
    stub = make(f"/{api}{path}", request.SerializeToString, response.FromString)
    return stub(request(**fields), metadata=metadata, timeout=60)


def say(step, what):
    print(f"{step}: {what}", flush=True)


health = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
say("health", health_pb2.HealthCheckResponse.ServingStatus.Name(health.status))
say("services", len([name for name in database.get_services() if name.startswith(api)]))
say("version", call("VersionService/GetLedgerApiVersion").version)

bank, alice = (
    call("admin.PartyManagementService/AllocateParty", party_id_hint=f"{hint}-python").party_details.party
    for hint in ("bank", "alice")
)
rights = [{"can_act_as": {"party": party}} for party in (bank, alice)]
call("admin.UserManagementService/GrantUserRights", user_id="participant_admin", rights=rights)
with open(dar, "rb") as file:
    call("admin.PackageManagementService/UploadDarFile", dar_file=file.read())
say("packages", len(call("PackageService/ListPackages").package_ids) > 0)

template = {"package_id": "#quickstart", "module_name": "Iou", "entity_name": "Iou"}
amount = {"value": {"numeric": "100"}}
begin = call("StateService/GetLedgerEnd").offset


def submit(command_id, **command):
    commands = {"command_id": f"python-{command_id}", "act_as": [bank, alice], "commands": [command]}
    return call("CommandService/SubmitAndWaitForTransaction", commands=commands).transaction


fields = [{"value": {"party": bank}}, {"value": {"party": alice}}, amount]
fields += [{"value": {"text": "EUR"}}, {"value": {"list": {}}}]
created = submit("create", create={"template_id": template, "create_arguments": {"fields": fields}})
contract_id = created.events[0].created.contract_id
say("create", len(created.events))
split = {"template_id": template, "contract_id": contract_id, "choice": "Iou_Split"}
split["choice_argument"] = {"record": {"fields": [{"value": {"numeric": "30"}}]}}
say("exercise", len(submit("split", exercise=split).events))

filters = {"filters_by_party": {alice: {"cumulative": [{"wildcard_filter": {}}]}}, "verbose": True}
shape = {"include_transactions": {"event_format": filters, "transaction_shape": "TRANSACTION_SHAPE_ACS_DELTA"}}
updates = call("UpdateService/GetUpdates", begin_exclusive=begin, update_format=shape)
transactions = []
for update in updates:  # A stream without end: cancelled when both have come.
    if update.WhichOneof("update") == "transaction":
        transactions.append(update.transaction)
    if len(transactions) == 2:
        updates.cancel()
        break
say("updates", len(transactions))
end = call("StateService/GetLedgerEnd").offset
active = [one.active_contract.created_event for one in
          call("StateService/GetActiveContracts", active_at_offset=end, event_format=filters)]
amounts = sorted(field.value.numeric for one in active for field in one.create_arguments.fields if field.label == "amount")
say("active", " ".join(amounts))

try:
    submit("again", exercise=split)
except grpc.RpcError as error:
    details = {detail.type_url.split(".")[-1]: detail for detail in rpc_status.from_call(error).details}
    info, resource = error_details_pb2.ErrorInfo(), error_details_pb2.ResourceInfo()
    details["ErrorInfo"].Unpack(info)
    details["ResourceInfo"].Unpack(resource)
    say("error", f"{error.code().name} {info.reason} category {info.metadata['category']} {resource.resource_type}")
    assert resource.resource_name == contract_id
