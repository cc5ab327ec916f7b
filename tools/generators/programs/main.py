# Written against the names that Canton's document gives to the models and methods of openapi-generator's python. Python
# has no compiler, so this builds every request and reads every answer, and checks that the methods are there.
import inspect

from openapi_client import DefaultApi
from openapi_client.models import (
    CanActAs,
    CanActAs1,
    Command,
    CommandOneOf1,
    CreateCommand,
    CreateIdentityProviderConfigRequest,
    CreateUserRequest,
    CumulativeFilter,
    EventFormat,
    Filters,
    GetActiveContractsRequest,
    GetUpdatesRequest,
    IdentifierFilter,
    IdentifierFilterOneOf3,
    IdentityProviderConfig,
    JsCommands,
    JsContractEntry,
    JsGetUpdatesResponse,
    JsSubmitAndWaitForTransactionRequest,
    Kind,
    KindOneOf,
    Right,
    TransactionFormat,
    UpdateFormat,
    User,
    WildcardFilter,
    WildcardFilter1,
)

party = "alice::1220"
wildcard = IdentifierFilterOneOf3(WildcardFilter=WildcardFilter(value=WildcardFilter1(includeCreatedEventBlob=True)))
event_format = EventFormat(
    filtersByParty={party: Filters(cumulative=[CumulativeFilter(identifierFilter=IdentifierFilter(wildcard))])}
)
transaction_format = TransactionFormat(eventFormat=event_format, transactionShape="TRANSACTION_SHAPE_ACS_DELTA")
create = CreateCommand(templateId="#q:Iou:Iou", createArguments={})
commands = JsCommands(commandId="one", actAs=[party], commands=[Command(CommandOneOf1(CreateCommand=create))])
right = Right(kind=Kind(KindOneOf(CanActAs=CanActAs(value=CanActAs1(party=party)))))
provider = IdentityProviderConfig(
    identityProviderId="a", issuer="https://a.example", jwksUrl="https://a.example/keys"
)

requests = {
    "post_v2_commands_submit_and_wait_for_transaction": JsSubmitAndWaitForTransactionRequest(
        commands=commands, transactionFormat=transaction_format
    ),
    "post_v2_updates": GetUpdatesRequest(
        beginExclusive=0, updateFormat=UpdateFormat(includeTransactions=transaction_format)
    ),
    "post_v2_users": CreateUserRequest(user=User(id="app"), rights=[right]),
    "post_v2_idps": CreateIdentityProviderConfigRequest(identityProviderConfig=provider),
    "post_v2_state_active_contracts": GetActiveContractsRequest(activeAtOffset=7, eventFormat=event_format),
}
for method, request in requests.items():
    first = list(inspect.signature(getattr(DefaultApi, method)).parameters.values())[1]
    assert first.annotation in (type(request), type(request).__name__), f"{method} takes {first.annotation}"
    assert type(request).from_json(request.to_json()) == request, method

created = {
    "offset": 7, "nodeId": 0, "contractId": "00", "templateId": "p:Iou:Iou", "createArgument": {}, "packageName": "q",
    "witnessParties": [party], "signatories": [party], "createdAt": "2026-01-01T00:00:00Z", "acsDelta": True,
    "representativePackageId": "p", "contractKey": None,
}  # fmt: skip
transaction = {
    "updateId": "1220", "effectiveAt": "2026-01-01T00:00:00Z", "events": [{"CreatedEvent": created}], "offset": 7,
    "synchronizerId": "s::1220", "recordTime": "2026-01-01T00:00:00Z", "commandId": "", "traceContext": None,
}  # fmt: skip
update = JsGetUpdatesResponse.from_dict({"update": {"Transaction": {"value": transaction}}})
events = update.update.actual_instance.transaction.value.events
assert events[0].actual_instance.created_event.contract_id == "00"
active = {"createdEvent": created, "synchronizerId": "s::1220", "reassignmentCounter": 0}
entry = JsContractEntry.from_json(__import__("json").dumps({"JsActiveContract": active}))
assert entry.actual_instance.js_active_contract.created_event.signatories == [party]
