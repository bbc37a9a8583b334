// What applications do with sarama.
package main

import (
	"context"
	"errors"
	"slices"

	"github.com/IBM/sarama"
	"weir/interop/scenarios"
)

const count = 100

func main() {
	scenarios.Run([]scenarios.Scenario{
		{Name: "idempotent producer, and reading a partition", Run: partition},
		{Name: "group", Run: group},
		{Name: "create, describe and delete topics", Run: topics},
		{Name: "create, list and delete ACLs", Run: acls},
		{Name: "describe the cluster", Run: cluster},
	})
}

func config() *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Producer.Return.Successes = true
	config.Producer.Idempotent = true
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Compression = sarama.CompressionZSTD
	config.Net.MaxOpenRequests = 1
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	return config
}

func admin(broker string) (sarama.ClusterAdmin, error) {
	return sarama.NewClusterAdmin([]string{broker}, config())
}

func write(broker, topic string, partitions int32) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	if err := adm.CreateTopic(topic, &sarama.TopicDetail{NumPartitions: partitions, ReplicationFactor: 1}, false); err != nil {
		return err
	}
	producer, err := sarama.NewSyncProducer([]string{broker}, config())
	if err != nil {
		return err
	}
	defer producer.Close()
	var messages []*sarama.ProducerMessage
	for _, value := range scenarios.Values(count) {
		messages = append(messages, &sarama.ProducerMessage{Topic: topic, Value: sarama.StringEncoder(value)})
	}
	return producer.SendMessages(messages)
}

func partition(ctx context.Context, broker string) error {
	if err := write(broker, "partition", 1); err != nil {
		return err
	}
	consumer, err := sarama.NewConsumer([]string{broker}, config())
	if err != nil {
		return err
	}
	defer consumer.Close()
	reader, err := consumer.ConsumePartition("partition", 0, sarama.OffsetOldest)
	if err != nil {
		return err
	}
	defer reader.Close()
	values, err := read(ctx, reader.Messages())
	return errors.Join(err, scenarios.Equal("what was read", values, scenarios.Values(count)))
}

func read(ctx context.Context, messages <-chan *sarama.ConsumerMessage) ([]string, error) {
	var values []string
	for len(values) < count {
		select {
		case message := <-messages:
			values = append(values, string(message.Value))
		case <-ctx.Done():
			return values, ctx.Err()
		}
	}
	return values, nil
}

// collector is the handler of a group that ends its session when it has read enough.
type collector struct {
	messages chan *sarama.ConsumerMessage
}

func (collector) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (collector) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (c collector) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for message := range claim.Messages() {
		session.MarkMessage(message, "")
		c.messages <- message
	}
	return nil
}

func group(ctx context.Context, broker string) error {
	if err := write(broker, "grouped", 3); err != nil {
		return err
	}
	members, err := sarama.NewConsumerGroup([]string{broker}, "group", config())
	if err != nil {
		return err
	}
	collected := collector{messages: make(chan *sarama.ConsumerMessage, count)}
	session, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- members.Consume(session, []string{"grouped"}, collected) }()
	values, err := read(ctx, collected.messages)
	end()
	err = errors.Join(err, <-ended, members.Close())
	slices.Sort(values)
	if err := errors.Join(err, scenarios.Equal("what was read", values, scenarios.Values(count))); err != nil {
		return err
	}
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	committed, err := adm.ListConsumerGroupOffsets("group", map[string][]int32{"grouped": {0, 1, 2}})
	if err != nil {
		return err
	}
	sum := int64(0)
	for _, block := range committed.Blocks["grouped"] {
		sum += max(0, block.Offset)
	}
	return scenarios.Equal("the committed offset", sum, int64(count))
}

func topics(_ context.Context, broker string) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	if err := adm.CreateTopic("short-lived", &sarama.TopicDetail{NumPartitions: 2, ReplicationFactor: 1}, false); err != nil {
		return err
	}
	described, err := adm.DescribeTopics([]string{"short-lived"})
	if err := errors.Join(err, scenarios.Equal("the count of partitions", len(described[0].Partitions), 2)); err != nil {
		return err
	}
	if err := adm.DeleteTopic("short-lived"); err != nil {
		return err
	}
	all, err := adm.ListTopics()
	_, isThere := all["short-lived"]
	return errors.Join(err, scenarios.Equal("whether it is still there", isThere, false))
}

func acls(_ context.Context, broker string) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	name := "guarded"
	resource := sarama.Resource{ResourceType: sarama.AclResourceTopic, ResourceName: name, ResourcePatternType: sarama.AclPatternLiteral}
	rule := sarama.Acl{Principal: "User:reader", Host: "*", Operation: sarama.AclOperationRead, PermissionType: sarama.AclPermissionAllow}
	if err := adm.CreateACL(resource, rule); err != nil {
		return err
	}
	wanted := sarama.AclFilter{
		ResourceType: sarama.AclResourceTopic, ResourceName: &name, ResourcePatternTypeFilter: sarama.AclPatternLiteral,
		Operation: sarama.AclOperationAny, PermissionType: sarama.AclPermissionAny,
	}
	listed, err := adm.ListAcls(wanted)
	if err := errors.Join(err, scenarios.Equal("resources with rules", len(listed), 1)); err != nil {
		return err
	}
	deleted, err := adm.DeleteACL(wanted, false)
	return errors.Join(err, scenarios.Equal("rules that were deleted", len(deleted), 1))
}

func cluster(_ context.Context, broker string) error {
	adm, err := admin(broker)
	if err != nil {
		return err
	}
	defer adm.Close()
	brokers, _, err := adm.DescribeCluster()
	var addresses []string
	for _, found := range brokers {
		addresses = append(addresses, found.Addr())
	}
	return errors.Join(err, scenarios.Equal("the brokers", addresses, []string{broker}))
}
