import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { httpStage } from '@weir/agent/testing';
import { AnswerMemory } from '@weir/broker';
import { MiB, seededRandom } from '@weir/core';
import { HandClock, pause, until } from '@weir/core/testing';
import { AnswerSender } from './answer-sender.ts';

const decompressed: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  gzip: gunzipSync,
  br: brotliDecompressSync,
  none: (bytes) => bytes,
};

/** Hardly smaller if it is compressed. */
const random = seededRandom(1);
const randomText = Buffer.from(Array.from({ length: 48 * 1024 }, () => random.below(256))).toString('base64');

type Stage = Awaited<ReturnType<typeof httpStage>>;

/** A fetch of a topic whose answer arrives as it is sent. The clock of the agent runs meanwhile. */
async function fetched(
  { agent, clock }: Stage,
  { topic = 'large', accept, over }: { topic?: string; accept?: string; over?: Agent } = {},
) {
  const query = { topics: [{ topic, partitions: [{ partition: 0, fetch_offset: 0 }] }] };
  const sent = request({
    port: agent.httpPort,
    host: '127.0.0.1',
    method: 'POST',
    path: '/v1/kafka/fetch',
    headers: accept === undefined ? {} : { 'accept-encoding': accept },
    ...(over === undefined ? {} : { agent: over }),
  });
  sent.end(JSON.stringify(query));
  const chunks: Buffer[] = [];
  let answer: IncomingMessage | undefined;
  sent.once('response', (response) => {
    answer = response;
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
  });
  while (answer?.complete !== true) {
    clock.advance(10);
    await pause(0);
  }
  assert.equal(answer.statusCode, 200);
  assert.equal(answer.headers.vary, 'accept-encoding');
  const encoding = answer.headers['content-encoding'] ?? 'none';
  const bytes = Buffer.concat(chunks);
  return {
    encoding,
    bytes: bytes.length,
    text: decompressed[encoding]!(bytes).toString(),
    isReused: sent.reusedSocket,
  };
}

async function stageWith(t: Parameters<typeof httpStage>[0]): Promise<Stage> {
  const stage = await httpStage(t);
  for (const [topic, count] of [
    ['large', 500],
    ['small', 1],
  ] as const) {
    stage.cluster.addTopic(topic, 1);
    const records = Array.from({ length: count }, (_, index) => ({
      value: Buffer.from(`record ${index} `.repeat(20)).toString('base64'),
    }));
    const body = { topics: [{ topic, partitions: [{ partition: 0, records }] }] };
    await stage.call('POST', '/v1/kafka/produce', body);
  }
  return stage;
}

test('long answers are compressed as the client prefers', async (t) => {
  const stage = await stageWith(t);
  const plain = await fetched(stage);
  assert.equal(JSON.parse(plain.text).topics[0].partitions[0].records.length, 500);
  // biome-ignore format: a table
  const cases: [accept: string, encoding: string][] = [
    ['gzip',                           'gzip'],
    ['zstd',                           'zstd'],
    ['br',                             'br'],
    ['gzip, deflate, br, zstd',        'zstd'],
    ['gzip, zstd;q=0.5, br;q=0.8',     'gzip'],
    ['GZIP;q=0.1',                     'gzip'],
    ['*',                              'zstd'],
    ['*, zstd;q=0',                    'gzip'],
    ['identity, gzip;q=0.5',           'none'],
    ['gzip;q=0',                       'none'],
    ['deflate',                        'none'],
    ['',                               'none'],
    [';;q=,=',                         'none'],
  ];
  for (const [accept, encoding] of cases) {
    const answer = await fetched(stage, { accept });
    assert.equal(answer.encoding, encoding, accept);
    assert.equal(answer.text, plain.text, accept);
    if (encoding !== 'none') assert.ok(answer.bytes < plain.bytes / 2, `${accept}: ${answer.bytes}`);
  }
  const small = await fetched(stage, { topic: 'small', accept: 'gzip' });
  assert.equal(small.encoding, 'none');
});

test('a connection is used again after any answer', async (t) => {
  const stage = await stageWith(t);
  const over = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => over.destroy());
  const ways = [{}, { accept: 'gzip' }, { accept: 'zstd' }, { accept: 'br' }, { topic: 'small' }];
  for (const [index, way] of [...ways, ...ways].entries()) {
    const { isReused } = await fetched(stage, { ...way, over });
    assert.equal(isReused, index > 0, JSON.stringify(way));
  }
});

test('beyond so many at a time, answers are sent as they are, and clients who leave free their place', async (t) => {
  const memory = new AnswerMemory(MiB, new HandClock());
  const sender = new AnswerSender(memory, 1);
  let endless = 0;
  async function* pieces() {
    endless++;
    try {
      for (;;) yield randomText;
    } finally {
      endless--;
    }
  }
  const server = createServer(({ url, headers }, response) => {
    const answer = url === '/endless' ? pieces() : Promise.resolve(randomText);
    void sender.send(response, answer, headers['accept-encoding']);
  }).listen(0, '127.0.0.1');
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string) => {
    const sent = get({ port, path, headers: { 'accept-encoding': 'zstd' } });
    sent.on('error', () => undefined);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { sent, response, encoding: response.headers['content-encoding'] };
  };
  const first = await ask('/endless');
  assert.equal(first.encoding, 'zstd');
  const second = await ask('/endless');
  assert.equal(second.encoding, undefined);
  // Neither is read, and what waits for them is counted.
  await until(() => memory.bytes === 2 * randomText.length);
  for (const { sent } of [first, second]) sent.destroy();
  await until(() => endless === 0);
  const { encoding, response } = await ask('/');
  assert.equal(encoding, 'zstd');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  assert.equal(zstdDecompressSync(Buffer.concat(chunks)).toString(), randomText);
  assert.equal(memory.bytes, 0);
});
