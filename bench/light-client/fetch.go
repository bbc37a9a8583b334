package main

import (
	"bufio"
	"fmt"
	"sync"
)

// FetchWork says what is read, and how. Each connection reads all partitions from their beginning.
type FetchWork struct {
	Server, Topic           string
	Partitions, Connections int
	PartitionBytes          int
	// After that long nothing more is asked for; 0 for no limit.
	SecondsMax float64
}

const (
	responseBytesMax = 50 << 20
	waitMsMax        = 500
	// So many answers in a row without a record mean that the topic has fewer bytes than were asked for.
	emptyAnswersMax = 20
)

// Run reads so many bytes on every connection.
func (work FetchWork) Run(bytesMax int64) (Summary, error) {
	results := make([]Summary, work.Connections)
	failures := make([]error, work.Connections)
	var running sync.WaitGroup
	for index := range results {
		running.Add(1)
		go func() {
			defer running.Done()
			results[index], failures[index] = work.read(bytesMax)
		}()
	}
	running.Wait()
	var all Summary
	for index, one := range results {
		if failures[index] != nil {
			return Summary{}, failures[index]
		}
		all.Bytes += one.Bytes
		all.Requests += one.Requests
	}
	return all, nil
}

func (work FetchWork) read(bytesMax int64) (Summary, error) {
	conn, err := connect(work.Server)
	if err != nil {
		return Summary{}, err
	}
	defer conn.Close()
	from := bufio.NewReaderSize(conn, 4)
	offsets := make([]int64, work.Partitions)
	var memory []byte
	var all Summary
	empty := 0
	limit := limitOf(work.SecondsMax)
	for all.Bytes < bytesMax && (all.Bytes == 0 || !limit.isOver()) {
		if _, err := conn.Write(work.request(int32(all.Requests), offsets)); err != nil {
			return all, err
		}
		_, answer, err := readAnswer(from, &memory)
		if err != nil {
			return all, fmt.Errorf("after %d answers: %w", all.Requests, err)
		}
		bytes, err := work.take(answer, offsets)
		if err != nil {
			return all, err
		}
		all.Bytes += bytes
		all.Requests++
		if empty++; bytes > 0 {
			empty = 0
		} else if empty == emptyAnswersMax {
			return all, fmt.Errorf("%s has only %d bytes to read", work.Topic, all.Bytes)
		}
	}
	return all, nil
}

// request asks for all partitions, without a session, each time from another one on: the first ones of a request are
// served first.
func (work FetchWork) request(number int32, offsets []int64) []byte {
	f := newFrame(apiFetch, fetchVersion, number)
	f = f.int32(-1).int32(waitMsMax).int32(1).int32(responseBytesMax).int8(0) // consumer, read uncommitted
	f = f.int32(0).int32(-1)                                                  // no session
	f = f.int32(1).text(work.Topic).int32(int32(len(offsets)))
	for index := range offsets {
		partition := (index + int(number)) % len(offsets)
		f = f.int32(int32(partition)).int32(-1).int64(offsets[partition]).int64(-1).int32(int32(work.PartitionBytes))
	}
	return f.int32(0).text("").sized(0) // nothing forgotten, no rack
}

// take moves the offsets behind the records of an answer and returns how many bytes these are.
func (work FetchWork) take(answer body, offsets []int64) (int64, error) {
	answer.int32() // throttle time
	if code := answer.int16(); code != 0 {
		return 0, fmt.Errorf("fetch failed with error code %d", code)
	}
	answer.int32() // session
	var bytes int64
	for topics := answer.int32(); topics > 0; topics-- {
		answer.text()
		for partitions := answer.int32(); partitions > 0; partitions-- {
			partition, code := answer.int32(), answer.int16()
			if code != 0 {
				return 0, fmt.Errorf("fetch of %s-%d failed with error code %d", work.Topic, partition, code)
			}
			answer.take(24) // high watermark, last stable offset, log start offset
			answer.take(16 * int(answer.int32()))
			answer.int32() // preferred replica
			records := answer.take(int(answer.int32()))
			for len(records) >= batchHeaderBytes {
				size := 12 + int(be.Uint32(records[8:]))
				if size > len(records) {
					break // a server may send the beginning of the next batch
				}
				offsets[partition] = int64(be.Uint64(records)) + int64(be.Uint32(records[23:])) + 1
				bytes += int64(size)
				records = records[size:]
			}
		}
	}
	return bytes, nil
}
