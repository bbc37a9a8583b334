// Reads a topic as the only member of a group, or writes to all of its partitions, with franz-go. Says how it went as one line of JSON.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

type gaps struct {
	last       time.Time
	byPart     map[int32]time.Time
	longest    time.Duration
	longestOne time.Duration
}

func newGaps() *gaps { return &gaps{byPart: map[int32]time.Time{}} }

func (g *gaps) note(partition int32) {
	now := time.Now()
	if !g.last.IsZero() && now.Sub(g.last) > g.longest {
		g.longest = now.Sub(g.last)
	}
	if before, ok := g.byPart[partition]; ok && now.Sub(before) > g.longestOne {
		g.longestOne = now.Sub(before)
	}
	g.last, g.byPart[partition] = now, now
}

func main() {
	brokers := flag.String("brokers", "", "where to begin, with commas between")
	topic := flag.String("topic", "", "")
	group := flag.String("group", "", "reads as this group; without it writes")
	nextGen := flag.Bool("next", false, "KIP-848")
	count := flag.Int("count", 0, "records to read, or to write")
	perSecond := flag.Int("rate", 0, "records per second")
	size := flag.Int("bytes", 100, "of a record that is written")
	partitions := flag.Int("partitions", 1, "")
	limit := flag.Duration("limit", time.Minute, "gives up after this")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	if *group == "" {
		write(ctx, *brokers, *topic, *count, *perSecond, *size, *partitions)
		return
	}
	clientContext := context.Background()
	if *nextGen {
		clientContext = context.WithValue(clientContext, "opt_in_kafka_next_gen_balancer_beta", true)
	}
	client, err := kgo.NewClient(
		kgo.WithContext(clientContext),
		kgo.SeedBrokers(strings.Split(*brokers, ",")...),
		kgo.ConsumerGroup(*group),
		kgo.ConsumeTopics(*topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchMaxBytes(256<<10),
		kgo.FetchMaxPartitionBytes(64<<10),
		kgo.AutoCommitInterval(time.Second),
	)
	if err != nil {
		fail(err)
	}
	seen := map[[2]int64]bool{}
	again := 0
	found := newGaps()
	start := time.Now()
	for len(seen) < *count && ctx.Err() == nil {
		client.PollRecords(ctx, 200).EachRecord(func(record *kgo.Record) {
			key := [2]int64{int64(record.Partition), record.Offset}
			if seen[key] {
				again++
				return
			}
			seen[key] = true
			found.note(record.Partition)
			pace(start, len(seen)+again, *perSecond)
		})
	}
	report(found, len(seen), again, time.Since(start))
	client.CloseAllowingRebalance()
}

func write(ctx context.Context, brokers, topic string, count, perSecond, size, partitions int) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(brokers, ",")...),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(5*time.Millisecond),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
	)
	if err != nil {
		fail(err)
	}
	found := newGaps()
	done := make(chan int32, count)
	start := time.Now()
	value := make([]byte, size)
	go func() {
		for number := 0; number < count && ctx.Err() == nil; number++ {
			record := &kgo.Record{Topic: topic, Partition: int32(number % partitions), Value: value}
			client.Produce(ctx, record, func(record *kgo.Record, err error) {
				if err == nil {
					done <- record.Partition
				}
			})
			pace(start, number, perSecond)
		}
	}()
	written := 0
	for written < count {
		select {
		case partition := <-done:
			written++
			found.note(partition)
			continue
		case <-ctx.Done():
		}
		break
	}
	report(found, written, 0, time.Since(start))
}

func pace(start time.Time, count, perSecond int) {
	if perSecond == 0 {
		return
	}
	if ahead := time.Duration(count)*time.Second/time.Duration(perSecond) - time.Since(start); ahead > 0 {
		time.Sleep(ahead)
	}
}

func report(found *gaps, count, again int, took time.Duration) {
	line, _ := json.Marshal(map[string]any{
		"count":            count,
		"again":            again,
		"tookMs":           took.Milliseconds(),
		"gapMs":            found.longest.Milliseconds(),
		"gapOfPartitionMs": found.longestOne.Milliseconds(),
	})
	fmt.Println(string(line))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
