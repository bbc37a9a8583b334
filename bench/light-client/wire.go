package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand"
	"net"
	"time"
)

const (
	apiProduce, produceVersion = 0, 7
	apiFetch, fetchVersion     = 1, 11
	clientID                   = "light-client"
	valueBytes                 = 1024
	batchHeaderBytes           = 61
	// More than any answer that the rows ask for.
	answerBytesMax = 128 << 20
)

var be = binary.BigEndian

// A frame in the making. The first four bytes are its size, which `sized` fills in.
type frame []byte

func newFrame(api, version int16, correlation int32) frame {
	f := make(frame, 4, 256)
	return f.int16(api).int16(version).int32(correlation).text(clientID)
}

func (f frame) int8(v int8) frame   { return append(f, byte(v)) }
func (f frame) int16(v int16) frame { return be.AppendUint16(f, uint16(v)) }
func (f frame) int32(v int32) frame { return be.AppendUint32(f, uint32(v)) }
func (f frame) int64(v int64) frame { return be.AppendUint64(f, uint64(v)) }
func (f frame) text(v string) frame { return append(f.int16(int16(len(v))), v...) }

// sized returns the frame with its size, where `more` bytes follow it on the wire.
func (f frame) sized(more int) frame {
	be.PutUint32(f, uint32(len(f)-4+more))
	return f
}

// A body that is read from front to back. Reading past the end panics, which ends the run.
type body []byte

func (b *body) int16() int16 { v := int16(be.Uint16(*b)); *b = (*b)[2:]; return v }
func (b *body) int32() int32 { v := int32(be.Uint32(*b)); *b = (*b)[4:]; return v }
func (b *body) int64() int64 { v := int64(be.Uint64(*b)); *b = (*b)[8:]; return v }
func (b *body) text() string { return string(b.take(int(b.int16()))) }
func (b *body) take(n int) []byte {
	if n <= 0 {
		return nil
	}
	taken := (*b)[:n]
	*b = (*b)[n:]
	return taken
}

func connect(server string) (*net.TCPConn, error) {
	conn, err := net.Dial("tcp", server)
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}

// readAnswer returns the correlation id and the body of the next answer, which is valid until the next call.
func readAnswer(from *bufio.Reader, into *[]byte) (int32, body, error) {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return 0, nil, err
	}
	length := int(be.Uint32(size[:]))
	if length < 4 || length > answerBytesMax {
		return 0, nil, fmt.Errorf("an answer claims %d bytes", length)
	}
	if cap(*into) < length {
		*into = make([]byte, length)
	}
	answer := body((*into)[:length])
	if _, err := io.ReadFull(from, answer); err != nil {
		return 0, nil, err
	}
	return answer.int32(), answer, nil
}

// newBatch builds a record batch without a producer. Values are half random, so that they compress like text.
func newBatch(records int, random *rand.Rand) []byte {
	batch := make([]byte, batchHeaderBytes, batchHeaderBytes+records*(valueBytes+16))
	value := make([]byte, valueBytes)
	for index := range records {
		for at := range value {
			value[at] = 'A' + byte(random.Intn(16))
		}
		record := []byte{0}                                // attributes
		record = binary.AppendVarint(record, 0)            // timestamp delta
		record = binary.AppendVarint(record, int64(index)) // offset delta
		record = binary.AppendVarint(record, -1)           // no key
		record = binary.AppendVarint(record, valueBytes)
		record = append(record, value...)
		record = binary.AppendVarint(record, 0) // no headers
		batch = binary.AppendVarint(batch, int64(len(record)))
		batch = append(batch, record...)
	}
	// Of now, because servers delete records that are older than their retention within minutes.
	timestampMs := uint64(time.Now().UnixMilli())
	be.PutUint32(batch[8:], uint32(len(batch)-12))
	be.PutUint32(batch[12:], ^uint32(0)) // leader epoch
	batch[16] = 2                        // magic
	be.PutUint32(batch[23:], uint32(records-1))
	be.PutUint64(batch[27:], timestampMs)
	be.PutUint64(batch[35:], timestampMs)
	be.PutUint64(batch[43:], ^uint64(0)) // producer id
	be.PutUint16(batch[51:], ^uint16(0)) // producer epoch
	be.PutUint32(batch[53:], ^uint32(0)) // base sequence
	be.PutUint32(batch[57:], uint32(records))
	be.PutUint32(batch[17:], crc32.Checksum(batch[21:], crc32.MakeTable(crc32.Castagnoli)))
	return batch
}
