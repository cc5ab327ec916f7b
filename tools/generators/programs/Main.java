// Written against the names that Canton's document gives to the classes of openapi-generator's java.
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.DefaultApi;
import org.openapitools.client.model.*;

public class Main {
  static EventFormat eventFormat(String party) {
    WildcardFilter wildcard = new WildcardFilter().value(new WildcardFilter1().includeCreatedEventBlob(true));
    IdentifierFilter filter = new IdentifierFilter(new IdentifierFilterOneOf3().wildcardFilter(wildcard));
    return new EventFormat()
        .putFiltersByPartyItem(party, new Filters().addCumulativeItem(new CumulativeFilter().identifierFilter(filter)));
  }

  static List<String> everything(DefaultApi api, String party) throws ApiException {
    CreateCommand create = new CreateCommand().templateId("#q:Iou:Iou").createArguments(Map.of());
    JsCommands commands =
        new JsCommands()
            .commandId("one")
            .addActAsItem(party)
            .addCommandsItem(new Command(new CommandOneOf1().createCommand(create)));
    TransactionFormat format =
        new TransactionFormat()
            .eventFormat(eventFormat(party))
            .transactionShape(TransactionFormat.TransactionShapeEnum.TRANSACTION_SHAPE_ACS_DELTA);
    JsSubmitAndWaitForTransactionRequest request =
        new JsSubmitAndWaitForTransactionRequest().commands(commands).transactionFormat(format);
    List<String> ids = new ArrayList<>();
    ids.add(api.postV2CommandsSubmitAndWaitForTransaction(request).getTransaction().getUpdateId());

    GetUpdatesRequest updates =
        new GetUpdatesRequest().beginExclusive(0L).updateFormat(new UpdateFormat().includeTransactions(format));
    for (JsGetUpdatesResponse element : api.postV2Updates(updates, 10L, 100L)) {
      if (element.getUpdate().getActualInstance() instanceof UpdateOneOf3) {
        ids.add(element.getUpdate().getUpdateOneOf3().getTransaction().getValue().getUpdateId());
      }
    }

    Kind actAs = new Kind(new KindOneOf().canActAs(new CanActAs().value(new CanActAs1().party(party))));
    CreateUserRequest user = new CreateUserRequest().user(new User().id("app")).addRightsItem(new Right().kind(actAs));
    ids.add(api.postV2Users(user).getUser().getId());

    IdentityProviderConfig provider =
        new IdentityProviderConfig().identityProviderId("a").issuer("https://a.example").jwksUrl("https://a.example/keys");
    ids.add(
        api.postV2Idps(new CreateIdentityProviderConfigRequest().identityProviderConfig(provider))
            .getIdentityProviderConfig()
            .getIssuer());

    GetActiveContractsRequest contracts =
        new GetActiveContractsRequest().activeAtOffset(7L).eventFormat(eventFormat(party));
    for (JsGetActiveContractsResponse element : api.postV2StateActiveContracts(contracts, null, null)) {
      ids.add(element.getContractEntry().getJsContractEntryOneOf().getJsActiveContract().getCreatedEvent().getContractId());
    }
    return ids;
  }

  public static void main(String[] arguments) throws ApiException {
    everything(new DefaultApi(), "alice::1220");
  }
}
