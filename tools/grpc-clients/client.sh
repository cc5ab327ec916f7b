#!/bin/bash
# A session with grpcurl, which knows the messages from the node's reflection alone.
# Usage: client.sh HOST:PORT DAR, with TOKEN in the environment and grpcurl and jq on the PATH.
set -euo pipefail
address=$1 dar=$2
api=com.daml.ledger.api.v2

grpc() { grpcurl -plaintext -format-error "${@:3}" -d "$2" "$address" "$1"; }
call() { grpc "$api.$1" "$2" -H "authorization: Bearer $TOKEN" "${@:3}"; }

echo "health: $(grpc grpc.health.v1.Health/Check '{}' | jq -r .status)"
echo "services: $(grpcurl -plaintext "$address" list | grep -c "^$api")"
echo "version: $(call VersionService/GetLedgerApiVersion '{}' | jq -r .version)"

party() { call admin.PartyManagementService/AllocateParty "{\"party_id_hint\":\"$1-grpcurl\"}" | jq -r .partyDetails.party; }
bank=$(party bank) alice=$(party alice)
call admin.UserManagementService/GrantUserRights "{\"user_id\":\"participant_admin\",
  \"rights\":[{\"can_act_as\":{\"party\":\"$bank\"}},{\"can_act_as\":{\"party\":\"$alice\"}}]}" >/dev/null
call admin.PackageManagementService/UploadDarFile @ >/dev/null <<<"{\"dar_file\":\"$(base64 -w0 "$dar")\"}"
echo "packages: $(call PackageService/ListPackages '{}' | jq '.packageIds | length > 0')"

template='{"package_id":"#quickstart","module_name":"Iou","entity_name":"Iou"}'
submit() { # COMMAND_ID COMMAND
  call CommandService/SubmitAndWaitForTransaction "{\"commands\":{\"command_id\":\"grpcurl-$1\",
    \"act_as\":[\"$bank\",\"$alice\"],\"commands\":[$2]}}"
}
begin=$(call StateService/GetLedgerEnd '{}' | jq -r '.offset // 0')
created=$(submit create "{\"create\":{\"template_id\":$template,\"create_arguments\":{\"fields\":[
  {\"value\":{\"party\":\"$bank\"}},{\"value\":{\"party\":\"$alice\"}},{\"value\":{\"numeric\":\"100\"}},
  {\"value\":{\"text\":\"EUR\"}},{\"value\":{\"list\":{}}}]}}}")
echo "create: $(jq '.transaction.events | length' <<<"$created")"
contract=$(jq -r '.transaction.events[0].created.contractId' <<<"$created")
split="{\"exercise\":{\"template_id\":$template,\"contract_id\":\"$contract\",\"choice\":\"Iou_Split\",
  \"choice_argument\":{\"record\":{\"fields\":[{\"value\":{\"numeric\":\"30\"}}]}}}}"
echo "exercise: $(submit split "$split" | jq '.transaction.events | length')"

end=$(call StateService/GetLedgerEnd '{}' | jq -r .offset)
format="{\"filters_by_party\":{\"$alice\":{\"cumulative\":[{\"wildcard_filter\":{}}]}},\"verbose\":true}"
echo "updates: $(call UpdateService/GetUpdates "{\"begin_exclusive\":$begin,\"end_inclusive\":$end,\"update_format\":{
  \"include_transactions\":{\"event_format\":$format,\"transaction_shape\":\"TRANSACTION_SHAPE_ACS_DELTA\"}}}" |
  jq -s 'map(select(.transaction)) | length')"
echo "active: $(call StateService/GetActiveContracts "{\"active_at_offset\":$end,\"event_format\":$format}" |
  jq -rs '[.[].activeContract.createdEvent.createArguments.fields[] | select(.label == "amount").value.numeric] | sort | join(" ")')"

error=$(submit again "$split" 2>&1) && exit 1
jq -r --arg id "$contract" '(.details[] | select(."@type" | endswith("ErrorInfo"))) as $info
  | (.details[] | select(."@type" | endswith("ResourceInfo"))) as $resource
  | if $resource.resourceName == $id then . else error("another resource") end
  | "error: \(if .code == 5 then "NOT_FOUND" else .code end) \($info.reason) category \($info.metadata.category) \($resource.resourceType)"' <<<"$error"
