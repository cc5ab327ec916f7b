//! A Rust client of the gRPC Ledger API, with the stubs of the crate canton-proto.
//! Usage: client HOST:PORT DAR, with TOKEN in the environment.
use canton_proto::com::daml::ledger::api::v2::{
    self as api, admin, command::Command as Kind, cumulative_filter::IdentifierFilter, value::Sum,
};
use canton_proto::google::rpc::Status as RpcStatus;
use canton_proto::grpc::health::v1::{HealthCheckRequest, health_client::HealthClient};
use prost::Message;
use std::{collections::HashMap, env, error::Error, fmt::Display, fs};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Request, Status, transport::Endpoint};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

/// google.rpc.ErrorInfo
#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(map = "string, string", tag = "3")]
    metadata: HashMap<String, String>,
}

/// google.rpc.ResourceInfo
#[derive(Clone, PartialEq, Message)]
struct ResourceInfo {
    #[prost(string, tag = "1")]
    resource_type: String,
    #[prost(string, tag = "2")]
    resource_name: String,
}

fn say(step: &str, what: impl Display) {
    println!("{step}: {what}");
}

fn record(values: Vec<Sum>) -> api::Record {
    let field = |sum| api::RecordField { label: String::new(), value: Some(api::Value { sum: Some(sum) }) };
    api::Record { record_id: None, fields: values.into_iter().map(field).collect() }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    let bearer: MetadataValue<Ascii> = format!("Bearer {}", env::var("TOKEN")?).parse()?;
    let token = move |mut request: Request<()>| -> Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", bearer.clone());
        Ok(request)
    };
    let channel = Endpoint::from_shared(format!("http://{}", arguments[1]))?.connect().await?;

    let health = HealthClient::new(channel.clone()).check(HealthCheckRequest::default()).await?.into_inner();
    say("health", health.status().as_str_name());
    let list = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut reflected = ServerReflectionClient::new(channel.clone())
        .server_reflection_info(tokio_stream::once(list))
        .await?
        .into_inner();
    if let Some(MessageResponse::ListServicesResponse(list)) =
        reflected.message().await?.and_then(|response| response.message_response)
    {
        say("services", list.service.iter().filter(|one| one.name.starts_with("com.daml.ledger.api.v2.")).count());
    }
    let mut versions = api::version_service_client::VersionServiceClient::new(channel.clone());
    let version = versions.get_ledger_api_version(api::GetLedgerApiVersionRequest::default()).await?;
    say("version", version.into_inner().version);

    let mut party_service = admin::party_management_service_client::PartyManagementServiceClient::with_interceptor(
        channel.clone(),
        token.clone(),
    );
    let mut parties = Vec::new();
    for hint in ["bank-rust", "alice-rust"] {
        let request = admin::AllocatePartyRequest { party_id_hint: hint.into(), ..Default::default() };
        let details = party_service.allocate_party(request).await?.into_inner().party_details;
        parties.push(details.ok_or("no details")?.party);
    }
    let (bank, alice) = (parties[0].clone(), parties[1].clone());
    let right = |party: &String| admin::Right {
        kind: Some(admin::right::Kind::CanActAs(admin::right::CanActAs { party: party.clone() })),
    };
    admin::user_management_service_client::UserManagementServiceClient::with_interceptor(channel.clone(), token.clone())
        .grant_user_rights(admin::GrantUserRightsRequest {
            user_id: "participant_admin".into(),
            rights: parties.iter().map(right).collect(),
            ..Default::default()
        })
        .await?;
    admin::package_management_service_client::PackageManagementServiceClient::with_interceptor(
        channel.clone(),
        token.clone(),
    )
    .upload_dar_file(admin::UploadDarFileRequest { dar_file: fs::read(&arguments[2])?, ..Default::default() })
    .await?;
    let packages =
        api::package_service_client::PackageServiceClient::with_interceptor(channel.clone(), token.clone())
            .list_packages(api::ListPackagesRequest::default())
            .await?;
    say("packages", !packages.into_inner().package_ids.is_empty());

    let mut state =
        api::state_service_client::StateServiceClient::with_interceptor(channel.clone(), token.clone());
    let begin = state.get_ledger_end(api::GetLedgerEndRequest::default()).await?.into_inner().offset;
    let commands = api::command_service_client::CommandServiceClient::with_interceptor(channel.clone(), token.clone());
    let submit = async |id: &str, kind: Kind| {
        let commands_sent = api::Commands {
            command_id: format!("rust-{id}"),
            act_as: parties.clone(),
            commands: vec![api::Command { command: Some(kind) }],
            ..Default::default()
        };
        let request =
            api::SubmitAndWaitForTransactionRequest { commands: Some(commands_sent), transaction_format: None };
        let answer = commands.clone().submit_and_wait_for_transaction(request).await?.into_inner();
        Ok::<_, Status>(answer.transaction.unwrap_or_default().events)
    };
    let iou = api::Identifier {
        package_id: "#quickstart".into(),
        module_name: "Iou".into(),
        entity_name: "Iou".into(),
    };
    let create = api::CreateCommand {
        template_id: Some(iou.clone()),
        create_arguments: Some(record(vec![
            Sum::Party(bank),
            Sum::Party(alice.clone()),
            Sum::Numeric("100".into()),
            Sum::Text("EUR".into()),
            Sum::List(api::List::default()),
        ])),
    };
    let created = submit("create", Kind::Create(create)).await?;
    let contract_id = match created[0].event.as_ref() {
        Some(api::event::Event::Created(event)) => event.contract_id.clone(),
        other => return Err(format!("{other:?}").into()),
    };
    say("create", created.len());
    let split = Kind::Exercise(api::ExerciseCommand {
        template_id: Some(iou),
        contract_id: contract_id.clone(),
        choice: "Iou_Split".into(),
        choice_argument: Some(api::Value { sum: Some(Sum::Record(record(vec![Sum::Numeric("30".into())]))) }),
    });
    say("exercise", submit("split", split.clone()).await?.len());

    let wildcard =
        api::CumulativeFilter { identifier_filter: Some(IdentifierFilter::WildcardFilter(Default::default())) };
    let events = api::EventFormat {
        filters_by_party: HashMap::from([(alice, api::Filters { cumulative: vec![wildcard] })]),
        verbose: true,
        ..Default::default()
    };
    let transactions = api::TransactionFormat {
        event_format: Some(events.clone()),
        transaction_shape: api::TransactionShape::AcsDelta as i32,
    };
    let format = api::UpdateFormat { include_transactions: Some(transactions), ..Default::default() };
    let mut updates =
        api::update_service_client::UpdateServiceClient::with_interceptor(channel.clone(), token.clone())
            .get_updates(api::GetUpdatesRequest {
                begin_exclusive: begin,
                update_format: Some(format),
                ..Default::default()
            })
            .await?
            .into_inner();
    let mut seen = 0;
    while seen < 2 {
        // A stream without end: cancelled when both have come.
        let update = updates.message().await?.and_then(|response| response.update);
        seen += matches!(update, Some(api::get_updates_response::Update::Transaction(_))) as u32;
    }
    drop(updates);
    say("updates", seen);
    let end = state.get_ledger_end(api::GetLedgerEndRequest::default()).await?.into_inner().offset;
    let request = api::GetActiveContractsRequest {
        active_at_offset: end,
        event_format: Some(events),
        ..Default::default()
    };
    let mut active = state.get_active_contracts(request).await?.into_inner();
    let mut amounts = Vec::new();
    while let Some(one) = active.message().await? {
        use api::get_active_contracts_response::ContractEntry::ActiveContract;
        let Some(ActiveContract(contract)) = one.contract_entry else { continue };
        let fields = contract.created_event.and_then(|event| event.create_arguments).unwrap_or_default().fields;
        for field in fields.into_iter().filter(|field| field.label == "amount") {
            if let Some(Sum::Numeric(amount)) = field.value.and_then(|value| value.sum) {
                amounts.push(amount);
            }
        }
    }
    amounts.sort();
    say("active", amounts.join(" "));

    let refusal = submit("again", split).await.err().ok_or("it was accepted")?;
    let details = RpcStatus::decode(refusal.details())?.details;
    let detail = |name: &str| {
        let found = details.iter().find(|any| any.type_url.ends_with(name));
        found.map(|any| any.value.as_slice()).unwrap_or_default()
    };
    let info = ErrorInfo::decode(detail("google.rpc.ErrorInfo"))?;
    let resource = ResourceInfo::decode(detail("google.rpc.ResourceInfo"))?;
    let code = if refusal.code() == tonic::Code::NotFound { "NOT_FOUND".into() } else { refusal.code().to_string() };
    say("error", format!("{code} {} category {} {}", info.reason, info.metadata["category"], resource.resource_type));
    assert_eq!(resource.resource_name, contract_id);
    Ok(())
}
