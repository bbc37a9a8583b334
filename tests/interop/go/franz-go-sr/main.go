// What applications do with the registry client of franz-go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"weir/interop/scenarios"
)

const (
	id              = `{"name": "id", "type": "long"}`
	note            = `{"name": "note", "type": "string"}`
	noteWithDefault = `{"name": "note", "type": "string", "default": ""}`
)

func record(name string, fields ...string) sr.Schema {
	text := `{"type": "record", "name": "%s", "namespace": "shop", "fields": [%s]}`
	return sr.Schema{Schema: fmt.Sprintf(text, name, strings.Join(fields, ", "))}
}

func client(addresses string) *sr.Client {
	made, err := sr.NewClient(sr.URLs(strings.Fields(addresses)[1]))
	if err != nil {
		panic(err)
	}
	return made
}

func equal(actual, expected any) error {
	if fmt.Sprint(actual) != fmt.Sprint(expected) {
		return fmt.Errorf("%v is not %v", actual, expected)
	}
	return nil
}

func refused(err error, status, code int) error {
	var response *sr.ResponseError
	if !errors.As(err, &response) {
		return fmt.Errorf("not refused by the registry: %v", err)
	}
	return equal([]int{response.StatusCode, response.ErrorCode}, []int{status, code})
}

func evolve(ctx context.Context, addresses string) error {
	registry := client(addresses)
	first, err := registry.CreateSchema(ctx, "go-orders", record("Order", id))
	if err != nil {
		return err
	}
	found, err := registry.LookupSchema(ctx, "go-orders", record("Order", id))
	if err != nil {
		return err
	}
	second, err := registry.CreateSchema(ctx, "go-orders", record("Order", id, noteWithDefault))
	if err != nil {
		return err
	}
	versions, err := registry.SubjectVersions(ctx, "go-orders")
	if err != nil {
		return err
	}
	byID, err := registry.SchemaByID(ctx, second.ID)
	if err != nil {
		return err
	}
	text, err := registry.SchemaTextByVersion(ctx, "go-orders", -1)
	if err != nil {
		return err
	}
	usages, err := registry.SchemaUsagesByID(ctx, first.ID)
	if err != nil {
		return err
	}
	types, err := registry.SupportedTypes(ctx)
	if err != nil {
		return err
	}
	return errors.Join(
		equal([]int{found.ID, found.Version}, []int{first.ID, 1}),
		equal(versions, []int{1, 2}),
		equal(byID.Schema, text),
		equal(len(usages), 1),
		equal(len(types), 3),
	)
}

func incompatible(ctx context.Context, addresses string) error {
	registry := client(addresses)
	if _, err := registry.CreateSchema(ctx, "go-strict", record("Strict", id)); err != nil {
		return err
	}
	worse := record("Strict", id, note)
	checked, err := registry.CheckCompatibility(sr.WithParams(ctx, sr.Verbose), "go-strict", -1, worse)
	if err != nil {
		return err
	}
	_, refusal := registry.CreateSchema(ctx, "go-strict", worse)
	set := registry.SetCompatibility(ctx, sr.SetCompatibility{Level: sr.CompatNone}, "go-strict")
	_, after := registry.CreateSchema(ctx, "go-strict", worse)
	return errors.Join(
		equal(checked.Is, false),
		equal(len(checked.Messages) > 0, true),
		refused(refusal, 409, 40901),
		set[0].Err,
		after,
		equal(registry.Compatibility(ctx, "go-strict")[0].Level, sr.CompatNone),
	)
}

func deletion(ctx context.Context, addresses string) error {
	registry := client(addresses)
	if _, err := registry.CreateSchema(ctx, "go-gone", record("Gone", id)); err != nil {
		return err
	}
	early := func() error {
		_, err := registry.DeleteSubject(ctx, "go-gone", sr.HardDelete)
		return refused(err, 404, 40405)
	}()
	soft, err := registry.DeleteSubject(ctx, "go-gone", sr.SoftDelete)
	if err != nil {
		return err
	}
	_, gone := registry.SubjectVersions(ctx, "go-gone")
	kept, err := registry.SubjectVersions(sr.WithParams(ctx, sr.ShowDeleted), "go-gone")
	if err != nil {
		return err
	}
	hard, err := registry.DeleteSubject(ctx, "go-gone", sr.HardDelete)
	return errors.Join(early, err, equal(soft, []int{1}), refused(gone, 404, 40401), equal(kept, []int{1}), equal(hard, []int{1}))
}

func references(ctx context.Context, addresses string) error {
	registry := client(addresses)
	common := sr.Schema{Type: sr.TypeProtobuf, Schema: "syntax = \"proto3\";\npackage shop;\nmessage Address { string street = 1; }\n"}
	if _, err := registry.CreateSchema(ctx, "go-address", common); err != nil {
		return err
	}
	person := sr.Schema{
		Type:       sr.TypeProtobuf,
		Schema:     "syntax = \"proto3\";\npackage shop;\nimport \"address.proto\";\nmessage Person { Address home = 1; }\n",
		References: []sr.SchemaReference{{Name: "address.proto", Subject: "go-address", Version: 1}},
	}
	made, err := registry.CreateSchema(ctx, "go-person", person)
	if err != nil {
		return err
	}
	by, err := registry.SchemaReferences(ctx, "go-address", 1)
	if err != nil {
		return err
	}
	_, refusal := registry.DeleteSubject(ctx, "go-address", sr.SoftDelete)
	return errors.Join(equal(by[0].ID, made.ID), refused(refusal, 422, 42206))
}

func modes(ctx context.Context, addresses string) error {
	registry := client(addresses)
	if set := registry.SetMode(ctx, sr.ModeImport, "go-imported"); set[0].Err != nil {
		return set[0].Err
	}
	_, refusal := registry.CreateSchema(ctx, "go-imported", record("Imported", id))
	made, err := registry.CreateSchemaWithIDAndVersion(ctx, "go-imported", record("Imported", id), 4242, 7)
	if err != nil {
		return err
	}
	reset := registry.ResetMode(ctx, "go-imported")
	return errors.Join(refused(refusal, 422, 42205), equal([]int{made.ID, made.Version}, []int{4242, 7}), reset[0].Err)
}

func contexts(ctx context.Context, addresses string) error {
	registry := client(addresses)
	madeID, err := registry.RegisterSchema(ctx, ":.go:orders", record("Order", id), -1, -1)
	if err != nil {
		return err
	}
	made, err := registry.SchemaByVersion(ctx, ":.go:orders", 1)
	if err != nil {
		return err
	}
	all, err := registry.Contexts(ctx)
	if err != nil {
		return err
	}
	return errors.Join(
		equal([]any{made.Subject, made.ID, madeID}, []any{":.go:orders", 1, 1}),
		equal(strings.Contains(fmt.Sprint(all), ".go"), true),
	)
}

type order struct {
	ID int64 `json:"id"`
}

func roundTrip(ctx context.Context, addresses string) error {
	registry := client(addresses)
	schema := sr.Schema{Type: sr.TypeJSON, Schema: `{"type": "object", "properties": {"id": {"type": "integer"}}}`}
	made, err := registry.CreateSchema(ctx, "go-json-value", schema)
	if err != nil {
		return err
	}
	var serde sr.Serde
	serde.Register(made.ID, order{}, sr.EncodeFn(json.Marshal), sr.DecodeFn(json.Unmarshal))
	kafka, err := kgo.NewClient(kgo.SeedBrokers(strings.Fields(addresses)[0]), kgo.ConsumeTopics("go-json"))
	if err != nil {
		return err
	}
	defer kafka.Close()
	if _, err := kadm.NewClient(kafka).CreateTopic(ctx, 1, 1, nil, "go-json"); err != nil {
		return err
	}
	value, err := serde.Encode(order{ID: 7})
	if err != nil {
		return err
	}
	if err := kafka.ProduceSync(ctx, &kgo.Record{Topic: "go-json", Value: value}).FirstErr(); err != nil {
		return err
	}
	fetches := kafka.PollRecords(ctx, 1)
	if err := fetches.Err(); err != nil {
		return err
	}
	var read order
	if err := serde.Decode(fetches.Records()[0].Value, &read); err != nil {
		return err
	}
	return equal(read.ID, 7)
}

func main() {
	scenarios.Run([]scenarios.Scenario{
		{Name: "register, look up, evolve", Run: evolve},
		{Name: "incompatible schemas are refused", Run: incompatible},
		{Name: "soft and permanent deletion", Run: deletion},
		{Name: "references", Run: references},
		{Name: "modes", Run: modes},
		{Name: "contexts", Run: contexts},
		{Name: "write and read JSON Schema", Run: roundTrip},
	})
}
