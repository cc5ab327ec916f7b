// A Java client of the gRPC Ledger API, with the Java bindings and the stubs that Canton's sources contain.
// Usage: java -cp CLASSES Client.java HOST:PORT DAR, with TOKEN in the environment.
import static com.daml.ledger.api.v2.admin.PackageManagementServiceOuterClass.UploadDarFileRequest;
import static com.daml.ledger.api.v2.admin.PartyManagementServiceOuterClass.AllocatePartyRequest;

import com.daml.ledger.api.v2.*;
import com.daml.ledger.api.v2.admin.*;
import com.daml.ledger.javaapi.data.*;
import com.google.protobuf.ByteString;
import com.google.rpc.ErrorInfo;
import com.google.rpc.ResourceInfo;
import io.grpc.*;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.math.BigDecimal;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Client {
  static CommandServiceGrpc.CommandServiceBlockingStub commands;
  static List<String> parties;

  public static void main(String[] args) throws Exception {
    var metadata = new Metadata();
    var authorization = Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    metadata.put(authorization, "Bearer " + System.getenv("TOKEN"));
    var channel = ManagedChannelBuilder.forTarget(args[0]).usePlaintext()
        .intercept(MetadataUtils.newAttachHeadersInterceptor(metadata)).build();

    say("health", HealthGrpc.newBlockingStub(channel).check(HealthCheckRequest.getDefaultInstance()).getStatus());
    say("services", services(channel).filter(name -> name.startsWith("com.daml.ledger.api.v2.")).count());
    var version = VersionServiceOuterClass.GetLedgerApiVersionRequest.getDefaultInstance();
    say("version", VersionServiceGrpc.newBlockingStub(channel).getLedgerApiVersion(version).getVersion());

    var partyService = PartyManagementServiceGrpc.newBlockingStub(channel);
    parties = Stream.of("bank-java", "alice-java")
        .map(hint -> AllocatePartyRequest.newBuilder().setPartyIdHint(hint).build())
        .map(request -> partyService.allocateParty(request).getPartyDetails().getParty()).toList();
    String bank = parties.get(0), alice = parties.get(1);
    UserManagementServiceGrpc.newBlockingStub(channel).grantUserRights(
        new GrantUserRightsRequest("participant_admin", new User.Right.CanActAs(bank), new User.Right.CanActAs(alice))
            .toProto());
    PackageManagementServiceGrpc.newBlockingStub(channel).uploadDarFile(
        UploadDarFileRequest.newBuilder().setDarFile(ByteString.copyFrom(Files.readAllBytes(Path.of(args[1])))).build());
    var packages = PackageServiceGrpc.newBlockingStub(channel)
        .listPackages(PackageServiceOuterClass.ListPackagesRequest.getDefaultInstance());
    say("packages", packages.getPackageIdsCount() > 0);

    commands = CommandServiceGrpc.newBlockingStub(channel);
    var state = StateServiceGrpc.newBlockingStub(channel);
    var endRequest = StateServiceOuterClass.GetLedgerEndRequest.getDefaultInstance();
    var begin = state.getLedgerEnd(endRequest).getOffset();
    var iou = new Identifier("#quickstart", "Iou", "Iou");
    var arguments = new DamlRecord(Stream.of(new Party(bank), new Party(alice), numeric("100"), new Text("EUR"),
        DamlList.of()).map(DamlRecord.Field::new).toList());
    var created = submit("create", new CreateCommand(iou, arguments));
    var contractId = created.getEvents().get(0).getContractId();
    say("create", created.getEvents().size());
    var amount = new DamlRecord(new DamlRecord.Field("amount", numeric("30")));
    var split = new ExerciseCommand(iou, contractId, "Iou_Split", amount);
    say("exercise", submit("split", split).getEvents().size());

    var wildcard = new CumulativeFilter(Map.of(), Map.of(), Optional.of(Filter.Wildcard.HIDE_CREATED_EVENT_BLOB));
    var events = new EventFormat(Map.of(alice, wildcard), Optional.empty(), true);
    var transactions = new TransactionFormat(events, TransactionShape.ACS_DELTA);
    var updates = new UpdateFormat(Optional.of(transactions), Optional.empty(), Optional.empty());
    var context = Context.current().withCancellation();
    context.run(() -> {
      // A stream without end: cancelled when both have come.
      var stream = UpdateServiceGrpc.newBlockingStub(channel)
          .getUpdates(new GetUpdatesRequest(begin, Optional.empty(), updates).toProto());
      var seen = Stream.generate(stream::next).map(GetUpdatesResponse::fromProto)
          .filter(update -> update.getTransaction().isPresent()).limit(2).count();
      context.cancel(null);
      say("updates", seen);
    });
    var active = new GetActiveContractsRequest(events, state.getLedgerEnd(endRequest).getOffset());
    Iterable<StateServiceOuterClass.GetActiveContractsResponse> found = () -> state.getActiveContracts(active.toProto());
    say("active", StreamSupport.stream(found.spliterator(), false)
        .flatMap(one -> GetActiveContractsResponse.fromProto(one).getContractEntry().stream())
        .map(entry -> entry.getCreatedEvent().getArguments().getFieldsMap().get("amount").asNumeric().get().getValue())
        .sorted().map(BigDecimal::toPlainString).collect(Collectors.joining(" ")));

    try {
      submit("again", split);
    } catch (StatusRuntimeException error) {
      ErrorInfo info = null;
      ResourceInfo resource = null;
      for (var detail : StatusProto.fromThrowable(error).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) info = detail.unpack(ErrorInfo.class);
        if (detail.is(ResourceInfo.class)) resource = detail.unpack(ResourceInfo.class);
      }
      var category = info.getMetadataOrThrow("category");
      var code = error.getStatus().getCode();
      say("error", code + " " + info.getReason() + " category " + category + " " + resource.getResourceType());
      if (!resource.getResourceName().equals(contractId)) throw new AssertionError(resource);
    }
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
  }

  static Transaction submit(String commandId, Command command) {
    var submission = CommandsSubmission
        .create("participant_admin", "java-" + commandId, Optional.empty(), List.of(command)).withActAs(parties);
    var format = new TransactionFormat(new EventFormat(
        parties.stream().collect(Collectors.toMap(party -> party, party ->
            new CumulativeFilter(Map.of(), Map.of(), Optional.of(Filter.Wildcard.HIDE_CREATED_EVENT_BLOB)))),
        Optional.empty(), true), TransactionShape.ACS_DELTA);
    var answer = commands.submitAndWaitForTransaction(
        new SubmitAndWaitForTransactionRequest(submission, format).toProto());
    return Transaction.fromProto(answer.getTransaction());
  }

  static Stream<String> services(Channel channel) throws Exception {
    var answer = new CompletableFuture<ServerReflectionResponse>();
    var requests = ServerReflectionGrpc.newStub(channel).serverReflectionInfo(new StreamObserver<>() {
      public void onNext(ServerReflectionResponse response) { answer.complete(response); }
      public void onError(Throwable error) { answer.completeExceptionally(error); }
      public void onCompleted() {}
    });
    requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    var list = answer.get(60, TimeUnit.SECONDS).getListServicesResponse().getServiceList();
    requests.onCompleted();
    return list.stream().map(service -> service.getName());
  }

  static Numeric numeric(String text) {
    return new Numeric(new BigDecimal(text));
  }

  static void say(String step, Object what) {
    System.out.println(step + ": " + what);
  }
}
