package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"net"
	"slices"
	"sync"
	"time"
)

// ProduceWork says what is written, and how.
type ProduceWork struct {
	Server, Topic              string
	Partitions, Connections    int
	Batches, Records, InFlight int
	RateMegabytes              float64
	// After that long nothing more is sent; 0 for no limit.
	SecondsMax float64
}

// Different batches, so that the server does not find the same bytes in its caches again and again.
const distinctBatches = 24

// A request that waits for its answer.
type sent struct {
	// When it was due at a fixed rate, else when it was sent: a stall counts for the requests that it held up.
	at    time.Time
	bytes int
}

type producer struct {
	work    ProduceWork
	conn    *net.TCPConn
	batches [][]byte
	// Requests that were sent, and one less than may be in flight: the receiver holds the one that is answered next.
	waiting chan sent
	// Closed when no more answers are read, so that the sender does not wait for them.
	ended chan struct{}
	// Which partition and which batch come next.
	partition, batch int
	latenciesMs      []float64
	bytes, requests  int64
}

// Run writes so many bytes, or so many requests if that is not 0, and returns when all are acknowledged.
func (work ProduceWork) Run(bytesMax, requestsMax int64) (Summary, error) {
	random := rand.New(rand.NewSource(1))
	batches := make([][]byte, distinctBatches)
	for index := range batches {
		batches[index] = newBatch(work.Records, random)
	}
	if requestsMax == 0 {
		requestsMax = max(1, bytesMax/int64(work.Batches*len(batches[0])))
	}
	share := max(1, requestsMax/int64(work.Connections))
	producers := make([]*producer, work.Connections)
	failures := make(chan error, 2*work.Connections)
	var running sync.WaitGroup
	for index := range producers {
		conn, err := connect(work.Server)
		if err != nil {
			return Summary{}, err
		}
		one := &producer{work: work, conn: conn, batches: batches, partition: index, batch: index}
		one.waiting, one.ended = make(chan sent, max(0, work.InFlight-1)), make(chan struct{})
		producers[index] = one
		running.Add(2)
		go func() { defer running.Done(); failures <- one.send(share) }()
		go func() { defer running.Done(); failures <- one.receive() }()
	}
	running.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			return Summary{}, err
		}
	}
	var summary Summary
	var latenciesMs []float64
	for _, one := range producers {
		summary.Bytes += one.bytes
		summary.Requests += one.requests
		latenciesMs = append(latenciesMs, one.latenciesMs...)
	}
	slices.Sort(latenciesMs)
	at := func(share float64) float64 { return latenciesMs[int(share*float64(len(latenciesMs)-1))] }
	summary.P50Ms, summary.P99Ms, summary.P999Ms = at(0.5), at(0.99), at(0.999)
	return summary, nil
}

func (p *producer) send(requests int64) error {
	defer close(p.waiting)
	limit := limitOf(p.work.SecondsMax)
	requestBytes := float64(p.work.Batches * len(p.batches[0]))
	var every time.Duration
	if p.work.RateMegabytes > 0 {
		perSecond := p.work.RateMegabytes * 1e6 / float64(p.work.Connections)
		every = time.Duration(requestBytes / perSecond * 1e9)
	}
	// Connections are due in turns and not all at once.
	due := time.Now().Add(every * time.Duration(p.partition) / time.Duration(p.work.Connections))
	for correlation := range int32(requests) {
		if correlation > 0 && limit.isOver() {
			return nil
		}
		if every > 0 {
			time.Sleep(time.Until(due))
		} else {
			due = time.Now()
		}
		pieces, bytes := p.request(correlation)
		select {
		case p.waiting <- sent{due, bytes}:
		case <-p.ended:
			return nil
		}
		if _, err := pieces.WriteTo(p.conn); err != nil {
			select {
			case <-p.ended:
				// receive has closed the connection, and says why.
				return nil
			default:
				return err
			}
		}
		due = due.Add(every)
	}
	return nil
}

// request returns a Produce request as pieces, the batches by reference.
func (p *producer) request(correlation int32) (net.Buffers, int) {
	head := newFrame(apiProduce, produceVersion, correlation)
	head = head.int16(-1).int16(-1).int32(30_000)                        // no transaction, acks=all, timeout
	head = head.int32(1).text(p.work.Topic).int32(int32(p.work.Batches)) // one topic
	start, bytes := 0, 0
	// Pieces of the head are cut only when it has stopped growing, because growing moves it.
	cuts := make([]int, p.work.Batches)
	records := make([][]byte, p.work.Batches)
	for index := range records {
		batch := p.batches[p.batch%len(p.batches)]
		head = head.int32(int32(p.partition % p.work.Partitions)).int32(int32(len(batch)))
		cuts[index], records[index] = len(head), batch
		bytes += len(batch)
		p.batch++
		p.partition++
	}
	head = head.sized(bytes)
	pieces := make(net.Buffers, 0, 2*len(records))
	for index, batch := range records {
		pieces = append(pieces, head[start:cuts[index]], batch)
		start = cuts[index]
	}
	return pieces, bytes
}

func (p *producer) receive() error {
	defer p.conn.Close()
	defer close(p.ended)
	from := bufio.NewReaderSize(p.conn, 64<<10)
	var memory []byte
	correlation := int32(0)
	for request := range p.waiting {
		got, answer, err := readAnswer(from, &memory)
		if err != nil {
			return fmt.Errorf("after %d answers: %w", correlation, err)
		}
		if got != correlation {
			return fmt.Errorf("answer %d has correlation id %d", correlation, got)
		}
		if err := produceProblem(answer); err != nil {
			return err
		}
		p.latenciesMs = append(p.latenciesMs, float64(time.Since(request.at).Microseconds())/1000)
		p.bytes += int64(request.bytes)
		p.requests++
		correlation++
	}
	return nil
}

func produceProblem(answer body) error {
	for topics := answer.int32(); topics > 0; topics-- {
		name := answer.text()
		for partitions := answer.int32(); partitions > 0; partitions-- {
			partition, code := answer.int32(), answer.int16()
			if code != 0 {
				return fmt.Errorf("produce to %s-%d failed with error code %d", name, partition, code)
			}
			answer.take(24) // base offset, log append time, log start offset
		}
	}
	return nil
}
