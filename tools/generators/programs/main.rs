// Written against the names that Canton's document gives to the models and functions of openapi-generator's rust.
use openapi::apis::configuration::Configuration;
use openapi::apis::default_api as api;
use openapi::models::transaction_format::TransactionShape;
use openapi::models::*;
use std::collections::HashMap;

fn event_format(party: &str) -> EventFormat {
    let wildcard = IdentifierFilterOneOf3::new(WildcardFilter::new(WildcardFilter1::new()));
    let mut condition = CumulativeFilter::new();
    condition.identifier_filter = Some(Box::new(IdentifierFilter::IdentifierFilterOneOf3(Box::new(wildcard))));
    let mut filters = Filters::new();
    filters.cumulative = Some(vec![condition]);
    let mut format = EventFormat::new();
    format.filters_by_party = Some(HashMap::from([(party.to_string(), filters)]));
    format
}

pub async fn everything(node: &Configuration, party: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let create = CreateCommand::new("#q:Iou:Iou".to_string(), Some(serde_json::json!({})));
    let command = Command::CommandOneOf1(Box::new(CommandOneOf1::new(create)));
    let commands = JsCommands::new(vec![command], "one".to_string(), vec![party.to_string()]);
    let format = TransactionFormat::new(event_format(party), TransactionShape::TransactionShapeAcsDelta);
    let mut request = JsSubmitAndWaitForTransactionRequest::new(commands);
    request.transaction_format = Some(Box::new(format.clone()));
    let done = api::post_v2_commands_submit_and_wait_for_transaction(node, request).await?;

    let mut updates = GetUpdatesRequest::new(0);
    let mut update_format = UpdateFormat::new();
    update_format.include_transactions = Some(Box::new(format));
    updates.update_format = Some(Box::new(update_format));
    let mut ids = vec![done.transaction.update_id.clone()];
    for element in api::post_v2_updates(node, updates, Some(10), Some(100)).await? {
        if let Some(Update::UpdateOneOf3(transaction)) = element.update.map(|update| *update) {
            ids.push(transaction.transaction.value.update_id.clone());
        }
    }

    let mut right = Right::new();
    let act_as = KindOneOf::new(CanActAs::new(CanActAs1::new(party.to_string())));
    right.kind = Some(Box::new(Kind::KindOneOf(Box::new(act_as))));
    let mut user = CreateUserRequest::new(User::new("app".to_string()));
    user.rights = Some(vec![right]);
    ids.push(api::post_v2_users(node, user).await?.user.id.clone());

    let provider = IdentityProviderConfig::new("a".to_string(), "https://a.example".to_string(), "https://a.example/keys".to_string());
    let created = api::post_v2_idps(node, CreateIdentityProviderConfigRequest::new(provider)).await?;
    ids.push(created.identity_provider_config.issuer.clone());

    let mut contracts = GetActiveContractsRequest::new(7);
    contracts.event_format = Some(Box::new(event_format(party)));
    for element in api::post_v2_state_active_contracts(node, contracts, None, None).await? {
        if let Some(JsContractEntry::JsContractEntryOneOf(active)) = element.contract_entry.map(|entry| *entry) {
            ids.push(active.js_active_contract.created_event.contract_id.clone());
        }
    }
    Ok(ids)
}

fn main() {
    let node = Configuration::new();
    let _not_run = everything(&node, "alice::1220");
}
