import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type CostListener, httpRequest, listed, nested } from '../listener.ts';
import type { Sizes } from '../search.ts';

/** The agent's HTTP port: records, logs, metrics. */
export const httpListener: CostListener = {
  name: 'http',
  bytesMax: 4 << 20,
  portOf: ({ http }) => http,
  seeds: () => [
    {
      name: 'logs: a compressed body of empty lines',
      sizes: { lines: 1_000 },
      build: ({ lines }) =>
        httpRequest('/api/v2/logs?topic=logs', zstdCompressSync(Buffer.alloc(lines!, '\n')), {
          'content-encoding': 'zstd',
          'content-type': 'text/plain',
        }),
    },
    {
      name: 'logs: names of an object',
      sizes: { names: 100, nameLength: 4 },
      build: ({ names, nameLength }) =>
        httpRequest(
          '/api/v2/logs?topic=logs',
          `[{${listed(names!, (index) => `"${String(index).padStart(nameLength!, 'n')}":1`)}}]`,
        ),
    },
    {
      name: 'logs: empty values of OTLP',
      sizes: { values: 100, records: 1 },
      build: ({ values, records }) => httpRequest('/v1/logs?topic=logs', otlp(values!, records!), protobuf),
    },
    {
      name: 'logs: empty values of OTLP, compressed',
      sizes: { values: 100, records: 1 },
      build: ({ values, records }) =>
        httpRequest('/v1/logs?topic=logs', gzipSync(otlp(values!, records!)), {
          ...protobuf,
          'content-encoding': 'gzip',
        }),
    },
    {
      name: 'logs: streams of Loki',
      sizes: { streams: 100, labels: 2 },
      build: ({ streams, labels }) =>
        httpRequest(
          '/loki/api/v1/push?topic=logs',
          `{"streams":[${listed(streams!, (index) => `{"stream":{${listed(labels!, (label) => `"l${label}":"${index}"`)}},"values":[["1700000000000000000","x"]]}`)}]}`,
        ),
    },
    {
      name: 'produce: partitions',
      sizes: { partitions: 100, topics: 1 },
      build: ({ partitions, topics }) =>
        httpRequest(
          '/v1/kafka/produce',
          `{"topics":[${listed(topics!, (topic) => `{"topic":"t${topic}","partitions":[${listed(partitions!, (partition) => `{"partition":${partition},"records":[{"value":""}]}`)}]}`)}]}`,
        ),
    },
    {
      name: 'produce: records of no partition',
      sizes: { entries: 100 },
      build: ({ entries }) =>
        httpRequest(
          '/v1/kafka/produce',
          `{"topics":[{"topic":"t","partitions":[${listed(entries!, () => '{"records":[{}]}')}]}]}`,
        ),
    },
    {
      name: 'fetch: partitions',
      sizes: { partitions: 100, topics: 1 },
      build: ({ partitions, topics }) =>
        httpRequest(
          '/v1/kafka/fetch',
          `{"max_wait_ms":0,"topics":[${listed(topics!, (topic) => `{"topic":"t${topic}","partitions":[${listed(partitions!, (partition) => `{"partition":${partition},"fetch_offset":0}`)}]}`)}]}`,
        ),
    },
    {
      name: 'JSON: objects with distinct names',
      sizes: { objects: 100, names: 2 },
      build: ({ objects, names }) =>
        httpRequest(
          '/topics/t',
          `{"records":[${listed(objects!, (index) => `{"value":{${listed(names!, (name) => `"n${index}_${name}":1`)}}}`)}]}`,
          { 'content-type': 'application/vnd.kafka.json.v2+json' },
        ),
    },
    {
      name: 'JSON: nesting',
      sizes: { depth: 10 },
      build: ({ depth }) => httpRequest('/v1/kafka/fetch', `{"topics":${nested(depth!)}}`),
    },
    {
      name: 'JSON: a compressed list of numbers',
      sizes: { values: 1_000 },
      build: ({ values }) =>
        httpRequest(
          '/v1/kafka/fetch',
          zstdCompressSync(Buffer.from(`{"topics":[${listed(values!, () => '1')}]}`)),
          {
            'content-encoding': 'zstd',
          },
        ),
    },
    {
      name: 'pipelined scrapes',
      sizes: { requests: 10 },
      build: ({ requests }) =>
        Buffer.from(
          `${'GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests!)}GET /metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
        ),
    },
    {
      name: 'query parameters',
      sizes: { parameters: 10 },
      build: ({ parameters }: Sizes) =>
        httpRequest(`/v1/kafka/fetch_single_record?topic=t&${'a=1&'.repeat(parameters!)}`, undefined),
    },
  ],
};

const protobuf = { 'content-type': 'application/x-protobuf' };

/** Bytes of a message of protobuf with a length. */
function field(number: number, content: Buffer): Buffer {
  const length: number[] = [];
  let left = content.length;
  for (; left > 127; left >>>= 7) length.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, left]), content]);
}

/** Log records whose body is a list of empty values. */
function otlp(values: number, records: number): Buffer {
  const list = field(5, Buffer.concat(Array.from({ length: values }, () => field(1, Buffer.alloc(0)))));
  const record = field(2, field(5, list));
  return field(1, field(2, Buffer.concat(Array.from({ length: records }, () => record))));
}
