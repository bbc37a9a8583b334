// A Kafka client that costs next to nothing, so that a benchmark measures the server: raw frames over sockets, batches
// that are built once and sent by reference, answers of which only offsets, sizes and errors are read.
//
//	light-client produce --server 127.0.0.1:9092 --topic t --partitions 16 --batches 2 --records 80 --bytes 600000000
//	light-client fetch --server 127.0.0.1:9092 --topic t --partitions 16 --bytes 600000000
//
// It prints one line of JSON.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Summary is what a run prints.
type Summary struct {
	Bytes      int64   `json:"bytes"`
	Requests   int64   `json:"requests"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
	P50Ms      float64 `json:"p50Ms"`
	P99Ms      float64 `json:"p99Ms"`
	P999Ms     float64 `json:"p999Ms"`
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("the first argument is produce or fetch"))
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	server := flags.String("server", "127.0.0.1:9092", "address of the one broker")
	topic := flags.String("topic", "bench", "a topic that exists")
	partitions := flags.Int("partitions", 1, "how many partitions of the topic are used, from 0")
	connections := flags.Int("connections", 1, "connections, which share the work")
	bytes := flags.Int64("bytes", 600_000_000, "bytes of record batches")
	seconds := flags.Float64("seconds", 0, "ends earlier than after all bytes if that takes longer; 0 for no limit")
	warmUp := flags.Int("warm-up-requests", 0, "requests before that, which are not measured")
	batches := flags.Int("batches", 1, "produce: batches of a request, each for another partition")
	records := flags.Int("records", 16, "produce: records of a batch, with values of 1 KiB")
	rate := flags.Float64("rate", 0, "produce: megabytes a second of all connections together; 0 for full speed")
	inFlight := flags.Int("in-flight", 5, "produce: requests of a connection that wait for their answer")
	partitionBytes := flags.Int("partition-bytes", 1<<20, "fetch: limit for each partition in a response")
	_ = flags.Parse(os.Args[2:])

	var run func() (Summary, error)
	switch os.Args[1] {
	case "produce":
		work := ProduceWork{*server, *topic, *partitions, *connections, *batches, *records, *inFlight, *rate, *seconds}
		if *warmUp > 0 {
			if _, err := work.Run(0, int64(*warmUp)); err != nil {
				fail(err)
			}
		}
		run = func() (Summary, error) { return work.Run(*bytes, 0) }
	case "fetch":
		work := FetchWork{*server, *topic, *partitions, *connections, *partitionBytes, *seconds}
		run = func() (Summary, error) { return work.Run(*bytes) }
	default:
		fail(fmt.Errorf("%s is neither produce nor fetch", os.Args[1]))
	}
	cpu, start := cpuSeconds(), time.Now()
	summary, err := run()
	if err != nil {
		fail(err)
	}
	summary.Seconds = time.Since(start).Seconds()
	summary.CPUSeconds = cpuSeconds() - cpu
	_ = json.NewEncoder(os.Stdout).Encode(summary)
}

// A limit in time; the zero value never ends.
type limit struct{ end time.Time }

func limitOf(seconds float64) limit {
	if seconds == 0 {
		return limit{}
	}
	return limit{time.Now().Add(time.Duration(seconds * float64(time.Second)))}
}

func (l limit) isOver() bool { return !l.end.IsZero() && time.Now().After(l.end) }

func cpuSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func fail(err error) {
	fmt.Fprintf(os.Stderr, "light-client: %v\n", err)
	os.Exit(1)
}
