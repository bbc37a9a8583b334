// What applications do with franz-go.
package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"weir/interop/scenarios"
)

const count = 100

func main() {
	all := []scenarios.Scenario{
		{Name: "group, classic protocol", Run: group("classic")},
		{Name: "group, consumer protocol", Run: group("consumer")},
		{Name: "transactions: GroupTransactSession", Run: transactions},
		{Name: "create, describe and delete topics; create partitions", Run: topics},
		{Name: "describe and alter configs", Run: configs},
		{Name: "list, describe and delete groups; commit offsets", Run: groups},
		{Name: "list offsets, delete records", Run: offsets},
		{Name: "create, describe and delete ACLs", Run: acls},
		{Name: "describe and alter SCRAM credentials", Run: scram},
		{Name: "describe the cluster", Run: cluster},
	}
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	for name, codec := range codecs {
		all = append(all, scenarios.Scenario{Name: "write and read " + name, Run: written(name, codec)})
	}
	scenarios.Run(all)
}

func admin(broker string) (*kadm.Client, error) {
	return kadm.NewOptClient(kgo.SeedBrokers(broker))
}

func created(ctx context.Context, broker, topic string, partitions int32) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	_, err = adm.CreateTopic(ctx, partitions, 1, nil, topic)
	return err
}

func write(ctx context.Context, broker, topic string, options ...kgo.Opt) error {
	client, err := kgo.NewClient(append(options, kgo.SeedBrokers(broker), kgo.DefaultProduceTopic(topic))...)
	if err != nil {
		return err
	}
	defer client.Close()
	var records []*kgo.Record
	for _, value := range scenarios.Values(count) {
		records = append(records, kgo.StringRecord(value))
	}
	return client.ProduceSync(ctx, records...).FirstErr()
}

// read polls until enough values came, and returns them in order of their names.
func read(ctx context.Context, client *kgo.Client, enough int) ([]string, error) {
	var values []string
	for len(values) < enough {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("after %d records: %w", len(values), err)
		}
		fetches.EachRecord(func(record *kgo.Record) { values = append(values, string(record.Value)) })
	}
	slices.Sort(values)
	return values, nil
}

func written(name string, codec kgo.CompressionCodec) func(context.Context, string) error {
	return func(ctx context.Context, broker string) error {
		topic := "codec-" + name
		if err := errors.Join(created(ctx, broker, topic, 1), write(ctx, broker, topic, kgo.ProducerBatchCompression(codec))); err != nil {
			return err
		}
		client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic))
		if err != nil {
			return err
		}
		defer client.Close()
		values, err := read(ctx, client, count)
		return errors.Join(err, scenarios.Equal("what was read", values, scenarios.Values(count)))
	}
}

func group(protocol string) func(context.Context, string) error {
	return func(ctx context.Context, broker string) error {
		topic := "group-" + protocol
		if err := errors.Join(created(ctx, broker, topic, 3), write(ctx, broker, topic)); err != nil {
			return err
		}
		options := []kgo.Opt{kgo.SeedBrokers(broker), kgo.ConsumerGroup(topic), kgo.ConsumeTopics(topic)}
		if protocol == "consumer" {
			options = append(options, kgo.ServerSideBalancer())
		}
		client, err := kgo.NewClient(options...)
		if err != nil {
			return err
		}
		defer client.Close()
		values, err := read(ctx, client, count)
		if err != nil {
			return err
		}
		if err := client.CommitUncommittedOffsets(ctx); err != nil {
			return err
		}
		adm := kadm.NewClient(client)
		committed, err := adm.FetchOffsets(ctx, topic)
		sum := int64(0)
		committed.Each(func(offset kadm.OffsetResponse) { sum += offset.At })
		return errors.Join(err, scenarios.Equal("what was read", values, scenarios.Values(count)), scenarios.Equal("the committed offset", sum, int64(count)))
	}
}

func transactions(ctx context.Context, broker string) error {
	err := errors.Join(created(ctx, broker, "txn-in", 1), created(ctx, broker, "txn-out", 1), write(ctx, broker, "txn-in"))
	if err != nil {
		return err
	}
	session, err := kgo.NewGroupTransactSession(
		kgo.SeedBrokers(broker), kgo.TransactionalID("txn"), kgo.ConsumerGroup("txn"), kgo.ConsumeTopics("txn-in"),
		kgo.DefaultProduceTopic("txn-out"), kgo.RequireStableFetchOffsets(), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	)
	if err != nil {
		return err
	}
	defer session.Close()
	// The first attempt is aborted, so that everything is read again.
	for _, commit := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
		if err := session.Begin(); err != nil {
			return err
		}
		values, err := read(ctx, session.Client(), count)
		if err != nil {
			return err
		}
		for _, value := range values {
			session.Produce(ctx, kgo.StringRecord(value), nil)
		}
		committed, err := session.End(ctx, commit)
		if err := errors.Join(err, scenarios.Equal("whether it committed", committed, bool(commit))); err != nil {
			return err
		}
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics("txn-out"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		return err
	}
	defer client.Close()
	values, err := read(ctx, client, count)
	return errors.Join(err, scenarios.Equal("what was committed", values, scenarios.Values(count)))
}

func topics(ctx context.Context, broker string) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	if _, err := adm.CreateTopic(ctx, 2, 1, nil, "short-lived"); err != nil {
		return err
	}
	grown, err := adm.CreatePartitions(ctx, 3, "short-lived")
	if err := errors.Join(err, grown.Error()); err != nil {
		return err
	}
	described, err := adm.ListTopics(ctx, "short-lived")
	if err := errors.Join(err, scenarios.Equal("the count of partitions", len(described["short-lived"].Partitions), 5)); err != nil {
		return err
	}
	if _, err := adm.DeleteTopic(ctx, "short-lived"); err != nil {
		return err
	}
	all, err := adm.ListTopics(ctx)
	return errors.Join(err, scenarios.Equal("whether it is still there", all.Has("short-lived"), false))
}

func configs(ctx context.Context, broker string) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	if _, err := adm.CreateTopic(ctx, 1, 1, nil, "configured"); err != nil {
		return err
	}
	value := "123456789"
	altered, err := adm.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: &value}}, "configured")
	if err := errors.Join(err, altered[0].Err); err != nil {
		return err
	}
	described, err := adm.DescribeTopicConfigs(ctx, "configured")
	if err != nil {
		return err
	}
	resource, err := described.On("configured", nil)
	if err != nil {
		return err
	}
	for _, config := range resource.Configs {
		if config.Key == "retention.ms" {
			return scenarios.Equal("retention.ms", config.MaybeValue(), value)
		}
	}
	return errors.New("retention.ms is not described")
}

func groups(ctx context.Context, broker string) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	if _, err := adm.CreateTopic(ctx, 1, 1, nil, "grouped"); err != nil {
		return err
	}
	offsets := kadm.Offsets{}
	offsets.AddOffset("grouped", 0, 7, -1)
	if err := adm.CommitAllOffsets(ctx, "described", offsets); err != nil {
		return err
	}
	listed, err := adm.ListGroups(ctx)
	if err := errors.Join(err, scenarios.Equal("its state in the list", listed["described"].State, "Empty")); err != nil {
		return err
	}
	described, err := adm.DescribeGroups(ctx, "described")
	if err := errors.Join(err, scenarios.Equal("its state", described["described"].State, "Empty")); err != nil {
		return err
	}
	if _, err := adm.DeleteGroup(ctx, "described"); err != nil {
		return err
	}
	listed, err = adm.ListGroups(ctx)
	_, isThere := listed["described"]
	return errors.Join(err, scenarios.Equal("whether it is still there", isThere, false))
}

func offsets(ctx context.Context, broker string) error {
	if err := errors.Join(created(ctx, broker, "measured", 1), write(ctx, broker, "measured")); err != nil {
		return err
	}
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	upTo := kadm.Offsets{}
	upTo.AddOffset("measured", 0, 40, -1)
	deleted, err := adm.DeleteRecords(ctx, upTo)
	if err := errors.Join(err, deleted.Error()); err != nil {
		return err
	}
	start, startErr := adm.ListStartOffsets(ctx, "measured")
	end, endErr := adm.ListEndOffsets(ctx, "measured")
	if err := errors.Join(startErr, endErr); err != nil {
		return err
	}
	return scenarios.Equal("the range", []int64{start["measured"][0].Offset, end["measured"][0].Offset}, []int64{40, count})
}

func acls(ctx context.Context, broker string) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	rule := kadm.NewACLs().Topics("guarded").ResourcePatternType(kadm.ACLPatternLiteral).Operations(kadm.OpRead).Allow("User:reader").AllowHosts("*")
	made, err := adm.CreateACLs(ctx, rule)
	if err != nil {
		return err
	}
	if err := errors.Join(scenarios.Equal("rules that were made", len(made), 1), made[0].Err); err != nil {
		return err
	}
	described, err := adm.DescribeACLs(ctx, rule)
	if err != nil {
		return err
	}
	if err := scenarios.Equal("rules that are described", len(described[0].Described), 1); err != nil {
		return err
	}
	deleted, err := adm.DeleteACLs(ctx, rule)
	if err != nil {
		return err
	}
	return scenarios.Equal("rules that were deleted", len(deleted[0].Deleted), 1)
}

func scram(ctx context.Context, broker string) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	upsert := []kadm.UpsertSCRAM{{User: "scrambled", Mechanism: kadm.ScramSha512, Iterations: 8192, Password: "a long password"}}
	altered, err := adm.AlterUserSCRAMs(ctx, nil, upsert)
	if err := errors.Join(err, altered.Error()); err != nil {
		return err
	}
	described, err := adm.DescribeUserSCRAMs(ctx, "scrambled")
	if err != nil {
		return err
	}
	return scenarios.Equal("the credentials", described["scrambled"].CredInfos, []kadm.CredInfo{{Mechanism: kadm.ScramSha512, Iterations: 8192}})
}

func cluster(ctx context.Context, broker string) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	described, err := adm.BrokerMetadata(ctx)
	if err != nil {
		return err
	}
	var addresses []string
	for _, node := range described.Brokers {
		addresses = append(addresses, fmt.Sprintf("%s:%d", node.Host, node.Port))
	}
	return scenarios.Equal("the brokers", addresses, []string{broker})
}
