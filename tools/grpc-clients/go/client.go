// A Go client of the gRPC Ledger API. Its stubs are generated from what the node's reflection describes (see README.md).
// Usage: client HOST:PORT DAR, with TOKEN in the environment.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	v2 "client/api"
	"client/api/admin"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
)

var iou = &v2.Identifier{PackageId: "#quickstart", ModuleName: "Iou", EntityName: "Iou"}

func main() {
	connection := must(grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials())))
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+os.Getenv("TOKEN"))

	say("health", must(health.NewHealthClient(connection).Check(ctx, &health.HealthCheckRequest{})).Status)
	say("services", services(ctx, connection))
	version := must(v2.NewVersionServiceClient(connection).GetLedgerApiVersion(ctx, &v2.GetLedgerApiVersionRequest{}))
	say("version", version.Version)

	parties, rights := []string{}, []*admin.Right{}
	for _, hint := range []string{"bank-go", "alice-go"} {
		request := &admin.AllocatePartyRequest{PartyIdHint: hint}
		party := must(admin.NewPartyManagementServiceClient(connection).AllocateParty(ctx, request)).PartyDetails.Party
		parties = append(parties, party)
		rights = append(rights, &admin.Right{Kind: &admin.Right_CanActAs_{CanActAs: &admin.Right_CanActAs{Party: party}}})
	}
	bank, alice := parties[0], parties[1]
	grant := &admin.GrantUserRightsRequest{UserId: "participant_admin", Rights: rights}
	must(admin.NewUserManagementServiceClient(connection).GrantUserRights(ctx, grant))
	upload := &admin.UploadDarFileRequest{DarFile: must(os.ReadFile(os.Args[2]))}
	must(admin.NewPackageManagementServiceClient(connection).UploadDarFile(ctx, upload))
	packages := must(v2.NewPackageServiceClient(connection).ListPackages(ctx, &v2.ListPackagesRequest{}))
	say("packages", len(packages.PackageIds) > 0)

	state := v2.NewStateServiceClient(connection)
	begin := must(state.GetLedgerEnd(ctx, &v2.GetLedgerEndRequest{})).Offset
	submit := func(id string, command *v2.Command) (*v2.SubmitAndWaitForTransactionResponse, error) {
		commands := &v2.Commands{CommandId: "go-" + id, ActAs: parties, Commands: []*v2.Command{command}}
		request := &v2.SubmitAndWaitForTransactionRequest{Commands: commands}
		return v2.NewCommandServiceClient(connection).SubmitAndWaitForTransaction(ctx, request)
	}
	arguments := record(party(bank), party(alice), numeric("100"),
		&v2.Value{Sum: &v2.Value_Text{Text: "EUR"}}, &v2.Value{Sum: &v2.Value_List{List: &v2.List{}}})
	create := &v2.CreateCommand{TemplateId: iou, CreateArguments: arguments}
	created := must(submit("create", &v2.Command{Command: &v2.Command_Create{Create: create}})).Transaction.Events
	contract := created[0].GetCreated().ContractId
	say("create", len(created))
	split := &v2.Command{Command: &v2.Command_Exercise{Exercise: &v2.ExerciseCommand{
		TemplateId: iou, ContractId: contract, Choice: "Iou_Split",
		ChoiceArgument: &v2.Value{Sum: &v2.Value_Record{Record: record(numeric("30"))}},
	}}}
	say("exercise", len(must(submit("split", split)).Transaction.Events))

	wildcard := &v2.CumulativeFilter{IdentifierFilter: &v2.CumulativeFilter_WildcardFilter{WildcardFilter: &v2.WildcardFilter{}}}
	filters := map[string]*v2.Filters{alice: {Cumulative: []*v2.CumulativeFilter{wildcard}}}
	events := &v2.EventFormat{FiltersByParty: filters, Verbose: true}
	shape := v2.TransactionShape_TRANSACTION_SHAPE_ACS_DELTA
	format := &v2.UpdateFormat{IncludeTransactions: &v2.TransactionFormat{EventFormat: events, TransactionShape: shape}}
	streaming, cancel := context.WithCancel(ctx)
	updates := must(v2.NewUpdateServiceClient(connection).GetUpdates(streaming,
		&v2.GetUpdatesRequest{BeginExclusive: begin, UpdateFormat: format}))
	seen := 0
	for seen < 2 { // A stream without end: cancelled when both have come.
		if must(updates.Recv()).GetTransaction() != nil {
			seen++
		}
	}
	cancel()
	say("updates", seen)
	end := must(state.GetLedgerEnd(ctx, &v2.GetLedgerEndRequest{})).Offset
	active := must(state.GetActiveContracts(ctx, &v2.GetActiveContractsRequest{ActiveAtOffset: end, EventFormat: events}))
	amounts := []string{}
	for one, err := active.Recv(); err == nil; one, err = active.Recv() {
		for _, field := range one.GetActiveContract().CreatedEvent.CreateArguments.Fields {
			if field.Label == "amount" {
				amounts = append(amounts, field.Value.GetNumeric())
			}
		}
	}
	slices.Sort(amounts)
	say("active", strings.Join(amounts, " "))

	_, err := submit("again", split)
	var info *errdetails.ErrorInfo
	var resource *errdetails.ResourceInfo
	for _, detail := range status.Convert(err).Details() {
		switch each := detail.(type) {
		case *errdetails.ErrorInfo:
			info = each
		case *errdetails.ResourceInfo:
			resource = each
		}
	}
	if resource.ResourceName != contract {
		log.Fatal(resource)
	}
	code := strings.ToUpper(strings.ReplaceAll(status.Code(err).String(), "NotFound", "Not_Found"))
	say("error", fmt.Sprintf("%s %s category %s %s", code, info.Reason, info.Metadata["category"], resource.ResourceType))
}

func services(ctx context.Context, connection *grpc.ClientConn) int {
	stream := must(reflection.NewServerReflectionClient(connection).ServerReflectionInfo(ctx))
	list := &reflection.ServerReflectionRequest_ListServices{}
	if err := stream.Send(&reflection.ServerReflectionRequest{MessageRequest: list}); err != nil {
		log.Fatal(err)
	}
	count := 0
	for _, service := range must(stream.Recv()).GetListServicesResponse().Service {
		if strings.HasPrefix(service.Name, "com.daml.ledger.api.v2.") {
			count++
		}
	}
	return count
}

func record(values ...*v2.Value) *v2.Record {
	fields := []*v2.RecordField{}
	for _, value := range values {
		fields = append(fields, &v2.RecordField{Value: value})
	}
	return &v2.Record{Fields: fields}
}

func party(name string) *v2.Value   { return &v2.Value{Sum: &v2.Value_Party{Party: name}} }
func numeric(text string) *v2.Value { return &v2.Value{Sum: &v2.Value_Numeric{Numeric: text}} }

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func say(step string, what any) { fmt.Printf("%s: %v\n", step, what) }
