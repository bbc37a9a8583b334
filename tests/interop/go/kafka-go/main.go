// What applications do with segmentio/kafka-go.
package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"
	"weir/interop/scenarios"
)

const count = 100

func main() {
	scenarios.Run([]scenarios.Scenario{
		{Name: "write and read", Run: partition},
		{Name: "group", Run: group},
		{Name: "create, list and delete topics", Run: topics},
		{Name: "create, describe and delete ACLs", Run: acls},
	})
}

func clientOf(broker string) *kafka.Client {
	// A transport remembers metadata for seconds, so that a client that has to see a change brings its own.
	return &kafka.Client{Addr: kafka.TCP(broker), Timeout: 30 * time.Second, Transport: &kafka.Transport{}}
}

func created(ctx context.Context, broker, topic string, partitions int) error {
	made, err := clientOf(broker).CreateTopics(ctx, &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: topic, NumPartitions: partitions, ReplicationFactor: 1}},
	})
	if err != nil {
		return err
	}
	return made.Errors[topic]
}

func write(ctx context.Context, broker, topic string, partitions int) error {
	if err := created(ctx, broker, topic, partitions); err != nil {
		return err
	}
	// The transport that writers share by default remembers metadata from before the topic was created.
	writer := kafka.Writer{
		Addr: kafka.TCP(broker), Topic: topic, Compression: kafka.Lz4, RequiredAcks: kafka.RequireAll, BatchTimeout: time.Millisecond, Transport: &kafka.Transport{},
	}
	var messages []kafka.Message
	for _, value := range scenarios.Values(count) {
		messages = append(messages, kafka.Message{Value: []byte(value)})
	}
	return errors.Join(writer.WriteMessages(ctx, messages...), writer.Close())
}

func read(ctx context.Context, config kafka.ReaderConfig) error {
	reader := kafka.NewReader(config)
	var values []string
	for len(values) < count {
		message, err := reader.ReadMessage(ctx)
		if err != nil {
			return errors.Join(err, reader.Close())
		}
		values = append(values, string(message.Value))
	}
	slices.Sort(values)
	return errors.Join(reader.Close(), scenarios.Equal("what was read", values, scenarios.Values(count)))
}

func partition(ctx context.Context, broker string) error {
	if err := write(ctx, broker, "partition", 1); err != nil {
		return err
	}
	return read(ctx, kafka.ReaderConfig{Brokers: []string{broker}, Topic: "partition", MaxWait: 100 * time.Millisecond})
}

func group(ctx context.Context, broker string) error {
	if err := write(ctx, broker, "grouped", 3); err != nil {
		return err
	}
	return read(ctx, kafka.ReaderConfig{
		Brokers: []string{broker}, GroupID: "group", GroupTopics: []string{"grouped"}, StartOffset: kafka.FirstOffset, MaxWait: 100 * time.Millisecond,
	})
}

func topics(ctx context.Context, broker string) error {
	if err := created(ctx, broker, "short-lived", 2); err != nil {
		return err
	}
	client := clientOf(broker)
	found, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{"short-lived"}})
	if err := errors.Join(err, scenarios.Equal("the count of partitions", len(found.Topics[0].Partitions), 2)); err != nil {
		return err
	}
	deleted, err := client.DeleteTopics(ctx, &kafka.DeleteTopicsRequest{Topics: []string{"short-lived"}})
	if err := errors.Join(err, deleted.Errors["short-lived"]); err != nil {
		return err
	}
	all, err := clientOf(broker).Metadata(ctx, &kafka.MetadataRequest{})
	isThere := slices.ContainsFunc(all.Topics, func(topic kafka.Topic) bool { return topic.Name == "short-lived" })
	return errors.Join(err, scenarios.Equal("whether it is still there", isThere, false))
}

func acls(ctx context.Context, broker string) error {
	client := clientOf(broker)
	made, err := client.CreateACLs(ctx, &kafka.CreateACLsRequest{ACLs: []kafka.ACLEntry{{
		ResourceType: kafka.ResourceTypeTopic, ResourceName: "guarded", ResourcePatternType: kafka.PatternTypeLiteral,
		Principal: "User:reader", Host: "*", Operation: kafka.ACLOperationTypeRead, PermissionType: kafka.ACLPermissionTypeAllow,
	}}})
	if err := errors.Join(err, errors.Join(made.Errors...)); err != nil {
		return err
	}
	described, err := client.DescribeACLs(ctx, &kafka.DescribeACLsRequest{Filter: kafka.ACLFilter{
		ResourceTypeFilter: kafka.ResourceTypeTopic, ResourceNameFilter: "guarded", ResourcePatternTypeFilter: kafka.PatternTypeLiteral,
		PrincipalFilter: "User:reader", HostFilter: "*", Operation: kafka.ACLOperationTypeAny, PermissionType: kafka.ACLPermissionTypeAny,
	}})
	if err := errors.Join(err, described.Error, scenarios.Equal("resources with rules", len(described.Resources), 1)); err != nil {
		return err
	}
	deleted, err := client.DeleteACLs(ctx, &kafka.DeleteACLsRequest{Filters: []kafka.DeleteACLsFilter{{
		ResourceTypeFilter: kafka.ResourceTypeTopic, ResourceNameFilter: "guarded", ResourcePatternTypeFilter: kafka.PatternTypeLiteral,
		PrincipalFilter: "User:reader", HostFilter: "*", Operation: kafka.ACLOperationTypeAny, PermissionType: kafka.ACLPermissionTypeAny,
	}}})
	return errors.Join(err, scenarios.Equal("rules that were deleted", len(deleted.Results[0].MatchingACLs), 1))
}
