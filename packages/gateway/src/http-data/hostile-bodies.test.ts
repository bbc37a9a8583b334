import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { httpStage } from '@weir/agent/testing';
import { requireShortTurns } from '@weir/core/testing';

const json = { 'content-type': 'application/json' };
const restJson = { 'content-type': 'application/vnd.kafka.json.v2+json' };

const listed = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => of(index)).join();

const fetchOf = (partitions: number) =>
  `{"max_wait_ms":0,"topics":[{"topic":"t","partitions":[${listed(partitions, (index) => `{"partition":${index},"fetch_offset":0}`)}]}]}`;
const produceOf = (partitions: number) =>
  `{"topics":[{"topic":"t","partitions":[${listed(partitions, (index) => `{"partition":${index},"records":[{"value":""}]}`)}]}]}`;

/** Bodies of some MiB that take much work for their size, of every kind of request. */
const bodies: [
  what: string,
  path: string,
  body: Buffer | string,
  headers: Record<string, string>,
  status: number,
][] = [
  ['partitions of a fetch', '/v1/kafka/fetch', fetchOf(5_000), json, 200],
  ['very many partitions of a fetch', '/v1/kafka/fetch', fetchOf(50_000), json, 413],
  ['partitions of a produce', '/v1/kafka/produce', produceOf(5_000), json, 200],
  ['very many partitions of a produce', '/v1/kafka/produce', produceOf(50_000), json, 413],
  [
    'records whose values have distinct names',
    '/topics/t',
    `{"records":[${listed(50_000, (index) => `{"value":{"n${index}":1}}`)}]}`,
    restJson,
    200,
  ],
  ['names of one object', '/v1/kafka/fetch', `{${listed(200_000, (index) => `"n${index}":1`)}}`, json, 413],
  ['nesting', '/v1/kafka/fetch', `{"topics":${'['.repeat(1_000_000)}`, json, 413],
  [
    'a compressed list',
    '/v1/kafka/fetch',
    zstdCompressSync(Buffer.from(`{"topics":[${'1,'.repeat(2_000_000)}1]}`)),
    { ...json, 'content-encoding': 'zstd' },
    413,
  ],
];

test('no body of a request for records occupies the thread', async (t) => {
  const { call, cluster } = await httpStage(t);
  cluster.addTopic('t', 2);
  for (const [what, path, body, headers, expected] of bodies) {
    const { status } = await requireShortTurns(() => call('POST', path, body, headers), { what });
    assert.equal(status, expected, what);
  }
});
