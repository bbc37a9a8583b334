import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test as nodeTest, type TestContext, type TestOptions } from 'node:test';
import { type Log, type LogFields, Metrics, MiB, silentLog } from '@weir/core';
import { HandClock, pause, until } from '@weir/core/testing';
import { type Apis, apis, encodeRequest, type Fields, type RequestOf, zeroUuid } from '@weir/wire';
import fc from 'fast-check';
import { brokerLimits } from '../src/limits.ts';
import { defaultListenerLimits, type ListenerLimits } from '../src/net/limits.ts';
import { listenerRows } from '../src/net/listener-metrics.ts';
import { AnswerMemory } from '../src/pressure/answer-memory.ts';
import type { HandlerResult } from '../src/requests/handler-result.ts';
import type { ReceivedRequest, RequestServer } from '../src/requests/request-server.ts';
import { type KafkaListenerOptions, startKafkaListener } from '../src/serving/kafka-listener.ts';
import { awaitedCommitMsMax } from '../src/transactions/awaited-commit.ts';
import { startTestAgent } from './test-agent-server.ts';
import { codeOf, TestClient } from './test-client.ts';

type Run = (t: TestContext) => Promise<void>;

const cases: { readonly name: string; readonly options: TestOptions; readonly run: Run }[] = [];

function test(name: string, ...rest: [run: Run] | [options: TestOptions, run: Run]): void {
  const run = rest.at(-1) as Run;
  cases.push({ name, options: rest.length === 2 ? rest[0] : {}, run });
}

let servingThreads = 1;

/** What every listener of Kafka clients does, however many threads own its connections. Called once per process. */
export function listenerContract(threads: number): void {
  servingThreads = threads;
  // A client that waits for ever would hold up all other files.
  for (const { name, options, run } of cases) nodeTest(name, { timeout: 60_000, ...options }, run);
}

type Serve = (request: ReceivedRequest) => HandlerResult<Fields>;

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
const skipsIpv6 = hasIpv6 ? false : 'this machine has no ::1';

/** Serves all known API versions with the answers of the test. */
function serving(serve: Serve): RequestServer {
  return {
    serves: () => true,
    refuseApiVersions: () => ({ errorCode: codeOf('UNSUPPORTED_VERSION'), apiKeys: [] }),
    serve,
  };
}

interface Options {
  readonly host?: string;
  readonly handle?: RequestServer;
  readonly limits?: Partial<ListenerLimits>;
  readonly log?: Log;
  readonly proxyProtocol?: KafkaListenerOptions['proxyProtocol'];
}

async function listen(t: TestContext, options: Options) {
  const clock = new HandClock();
  const metrics = new Metrics();
  const limits = { ...defaultListenerLimits(1), ...options.limits };
  const answers = new AnswerMemory(limits.responseBytesMax, clock);
  const listener = await startKafkaListener({
    host: options.host ?? '127.0.0.1',
    port: 0,
    handle: options.handle ?? (await startTestAgent()).server,
    limits,
    answers,
    servingThreads,
    clock,
    log: options.log ?? silentLog,
    metrics,
    ...(options.proxyProtocol === undefined ? {} : { proxyProtocol: options.proxyProtocol }),
  });
  const clients: TestClient[] = [];
  t.after(async () => {
    const stopped = listener.stop({ deadlineMs: 1 });
    clock.advance(1);
    for (const client of clients) client.socket.destroy();
    await stopped;
  });
  return {
    listener,
    clock,
    metrics,
    /** A client may have an answer before the listener knows that it was sent. */
    allSent: () => until(() => answers.bytes === 0),
    async connect() {
      const client = await TestClient.connect(listener.port);
      clients.push(client);
      return client;
    },
  };
}

/** Collects log lines. */
function keepingLog() {
  const lines: { level: string; message: string; fields: LogFields | undefined }[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields });
  };
  const log: Log = { debug() {}, info: at('info'), warn: at('warn'), error: at('error'), with: () => log };
  return { log, lines };
}

/** Requests that wait until the test answers them, identified by number. */
function answeredByHand() {
  const waiting = new Map<number, (answer: Awaited<HandlerResult<Fields>>) => void>();
  const order: number[] = [];
  const handle = serving((request) => {
    const number = (request.body as unknown as RequestOf<Apis['DescribeCluster']>).endpointType;
    order.push(number);
    return new Promise((resolve) => waiting.set(number, resolve));
  });
  return {
    handle,
    order,
    answer(number: number, answer: Awaited<HandlerResult<Fields>> = numbered(number)) {
      const resolve = waiting.get(number);
      assert.ok(resolve, `request ${number} has not come`);
      waiting.delete(number);
      resolve(answer);
    },
  };
}

/** DescribeCluster v1 carries a small number both ways. */
function send(client: TestClient, number: number): void {
  client.send('DescribeCluster', 1, { includeClusterAuthorizedOperations: false, endpointType: number });
}

function numbered(number: number, throttleTimeMs = 0) {
  return { throttleTimeMs, errorCode: 0, endpointType: number, clusterId: 'c', brokers: [] };
}

async function receive(client: TestClient): Promise<number> {
  return (await client.receive('DescribeCluster', 1)).body.endpointType;
}

function readingOf(metrics: Metrics, name: string): number {
  return metrics.read().find(({ row }) => row.name === name)!.series[0]!.value;
}

/** Builds a request header by hand, for requests that our encoder refuses to write. */
function rawRequest(apiKey: number, apiVersion: number, body = Buffer.alloc(0)): Buffer {
  const frame = Buffer.alloc(4 + 10 + body.length);
  frame.writeInt32BE(10 + body.length, 0);
  frame.writeInt16BE(apiKey, 4);
  frame.writeInt16BE(apiVersion, 6);
  frame.writeInt32BE(99, 8);
  frame.writeInt16BE(-1, 12);
  body.copy(frame, 14);
  return frame;
}

test('requests run in parallel and are answered in order', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const { connect } = await listen(t, { handle });
  const client = await connect();
  for (const number of [1, 2, 3, 4]) send(client, number);
  await until(() => order.length === 4);
  for (const number of [4, 2, 3, 1]) answer(number);
  const received = [];
  for (let count = 0; count < 4; count++) received.push(await receive(client));
  assert.deepEqual(received, [1, 2, 3, 4]);
});

test('frames may arrive in pieces of any size', async (t) => {
  const { connect } = await listen(t, {});
  const client = await connect();
  const header = { correlationId: 5, clientId: 'x' };
  const request = Buffer.concat(encodeRequest(apis.Metadata, 9, header, { topics: null }));
  for (const byte of Buffer.concat([request, request])) {
    client.socket.write(Buffer.of(byte));
    await pause(0);
  }
  for (let count = 0; count < 2; count++) {
    const { correlationId, body } = await client.receive('Metadata', 9);
    assert.equal(correlationId, 5);
    assert.equal(body.clusterId, 'vci_test');
  }
});

test('surplus bytes after a request are ignored, counted and logged', async (t) => {
  const { log, lines } = keepingLog();
  const debugLog: Log = {
    ...log,
    debug: (message, fields) => lines.push({ level: 'debug', message, fields }),
  };
  const { connect, metrics } = await listen(t, { log: debugLog });
  const client = await connect();
  const header = { correlationId: 5, clientId: 'rdkafka' };
  const request = Buffer.concat([
    ...encodeRequest(apis.Metadata, 12, header, { topics: null }),
    Buffer.of(0, 0, 0),
  ]);
  request.writeInt32BE(request.length - 4);
  client.socket.write(request);
  assert.equal((await client.receive('Metadata', 12)).body.clusterId, 'vci_test');
  // The connection stays open, and the next request begins where the frame ended.
  assert.equal((await client.call('ApiVersions', 0, {})).errorCode, 0);
  const series = metrics.render().match(/^service_agent_kafka_request_surplus_bytes_counter.*$/gm);
  assert.deepEqual(series, ['service_agent_kafka_request_surplus_bytes_counter{kafka_key="Metadata"} 3']);
  const ignored = lines.filter(({ message }) => message === 'ignored surplus bytes after Kafka request');
  assert.deepEqual(
    ignored.map(({ level, fields }) => [level, fields?.apiKey, fields?.bytes]),
    [['debug', apis.Metadata.key, 3]],
  );
});

test('ApiVersions with an unsupported version is answered as version 0', async (t) => {
  const { connect } = await listen(t, {});
  const client = await connect();
  client.socket.write(rawRequest(apis.ApiVersions.key, 99, Buffer.from([1, 2, 3])));
  const { correlationId, body } = await client.receive('ApiVersions', 0);
  assert.equal(correlationId, 99);
  assert.equal(body.errorCode, codeOf('UNSUPPORTED_VERSION'));
  assert.ok(
    body.apiKeys.some(({ apiKey, maxVersion }) => apiKey === apis.ApiVersions.key && maxVersion === 4),
  );
  // The connection stays open.
  assert.equal((await client.call('ApiVersions', 0, {})).errorCode, 0);
});

test('a request that cannot be understood closes its connection and no other', async (t) => {
  const { log, lines } = keepingLog();
  const { connect } = await listen(t, { log });
  const bystander = await connect();
  const cases: [what: string, bytes: Buffer][] = [
    ['an API that is not served', rawRequest(apis.JoinGroup.key, 0)],
    ['an API that does not exist', rawRequest(999, 0)],
    ['a version of Produce that is advertised but refused', rawRequest(apis.Produce.key, 2)],
    ['a version that is too high', rawRequest(apis.Metadata.key, 99)],
    ['an unstable version', rawRequest(apis.InitProducerId.key, 6, Buffer.alloc(40))],
    ['an empty frame', Buffer.alloc(4)],
    ['a short header', Buffer.from([0, 0, 0, 2, 0, 3])],
    ['a body that is cut off', rawRequest(apis.Metadata.key, 1, Buffer.from([0, 0, 0, 9]))],
    ['a negative length', Buffer.from([255, 255, 255, 255])],
    ['a length beyond the limit', Buffer.from([127, 255, 255, 255])],
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
  ];
  for (const [what, bytes] of cases) {
    lines.length = 0;
    const client = await connect();
    client.socket.write(bytes);
    await client.closed;
    assert.equal(await client.frame(), undefined, what);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['info'],
      what,
    );
  }
  assert.equal((await bystander.call('ApiVersions', 0, {})).errorCode, 0);
});

test('other connections are served, whatever bytes one sends', async (t) => {
  const { log, lines } = keepingLog();
  const { connect, listener } = await listen(t, { log, limits: { frameBytesMax: 10_000 } });
  const bystander = await connect();
  const noise = fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 5 });
  const headers = fc.tuple(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 20 }), fc.uint8Array());
  await fc.assert(
    fc.asyncProperty(noise, fc.array(headers, { maxLength: 5 }), async (chunks, requests) => {
      const client = await connect();
      for (const [key, version, body] of requests) {
        client.socket.write(rawRequest(key, version, Buffer.from(body)));
      }
      for (const chunk of chunks) client.socket.write(chunk);
      client.socket.end();
      client.socket.resume();
      await client.closed;
    }),
    { numRuns: 200 },
  );
  await until(() => listener.connectionCount === 1);
  assert.equal((await bystander.call('ApiVersions', 0, {})).errorCode, 0);
  assert.deepEqual(
    lines.filter(({ level }) => level === 'error'),
    [],
  );
});

test('requests before a bad one are still answered', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const { connect } = await listen(t, { handle });
  const client = await connect();
  send(client, 1);
  client.socket.write(rawRequest(999, 0));
  send(client, 2);
  await until(() => order.length === 1);
  await pause();
  answer(1);
  assert.equal(await receive(client), 1);
  await client.closed;
  assert.deepEqual(order, [1]);
});

test('a handler may send no reply, or refuse', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const { connect } = await listen(t, { handle });
  const client = await connect();
  for (const number of [1, 2, 3, 4]) send(client, number);
  await until(() => order.length === 4);
  answer(4);
  answer(3, 'close');
  answer(2);
  answer(1, 'noReply');
  assert.equal(await receive(client), 2);
  assert.equal(await client.frame(), undefined);
});

test('a failing handler closes its connection and no other', async (t) => {
  const { log, lines } = keepingLog();
  const failures: Serve[] = [
    () => {
      throw new Error('at once');
    },
    () => Promise.reject(new Error('later')),
    () => ({ clusterId: 5 }) as never,
  ];
  for (const failing of failures) {
    lines.length = 0;
    let isFirst = true;
    const handle = serving((request) => {
      if (!isFirst) return numbered(1);
      isFirst = false;
      return failing(request);
    });
    const { connect } = await listen(t, { handle, log });
    const client = await connect();
    send(client, 1);
    assert.equal(await client.frame(), undefined);
    assert.deepEqual(
      lines.map(({ level, fields }) => [level, fields?.apiKey, fields?.apiVersion]),
      [['error', apis.DescribeCluster.key, 1]],
    );
    const other = await connect();
    send(other, 1);
    assert.equal(await receive(other), 1);
  }
});

test('a connection at its limit of requests in flight is not read', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const { connect } = await listen(t, { handle, limits: { requestsInFlightPerConnectionMax: 3 } });
  const client = await connect();
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  for (const number of numbers) send(client, number);
  await until(() => order.length === 3);
  await pause();
  assert.equal(order.length, 3);
  for (const number of numbers) {
    await until(() => order.includes(number));
    assert.ok(order.length <= number + 3);
    answer(number);
    assert.equal(await receive(client), number);
  }
});

test('the end of a connection is seen behind more requests than may be in flight, and they are still served', async (t) => {
  const seen: (AbortSignal | undefined)[] = [];
  const receivedMs: number[] = [];
  const { handle: byHand, order, answer } = answeredByHand();
  const handle = serving((request) => {
    seen.push(request.left);
    receivedMs.push(request.receivedMs!);
    return byHand.serve(request);
  });
  const { connect, metrics, clock } = await listen(t, {
    handle,
    limits: { requestsInFlightPerConnectionMax: 3 },
  });
  const client = await connect();
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  for (const number of numbers) send(client, number);
  client.socket.end();
  await until(() => seen[0]?.aborted === true);
  assert.equal(order.length, 3);
  // The end comes after all of them.
  const allReceivedMs = clock.monotonicMs();
  clock.advance(1_000);
  assert.equal(readingOf(metrics, listenerRows.connections.name), 1);
  for (const number of numbers) {
    await until(() => order.includes(number));
    answer(number, 'noReply');
  }
  await until(() => readingOf(metrics, listenerRows.connections.name) === 0);
  assert.equal(receivedMs.length, numbers.length);
  for (const ms of receivedMs) assert.ok(ms <= allReceivedMs, 'when it was read, not when its turn came');
});

test('reading ahead is limited', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const { connect, metrics } = await listen(t, { handle, limits: { requestsInFlightPerConnectionMax: 1 } });
  const client = await connect();
  const clientId = 'x'.repeat(30_000);
  const count = 3 * Math.ceil(brokerLimits.readAheadBytesPerConnectionMax / clientId.length);
  for (let number = 0; number < count; number++) {
    const body = { includeClusterAuthorizedOperations: false, endpointType: number % 100 };
    client.send('DescribeCluster', 1, body, clientId);
  }
  const bytesRead = () => readingOf(metrics, listenerRows.bytesIn.name);
  await until(() => bytesRead() >= brokerLimits.readAheadBytesPerConnectionMax);
  await pause();
  assert.ok(bytesRead() < brokerLimits.readAheadBytesPerConnectionMax + 2 * MiB);
  for (let number = 0; number < count; number++) {
    await until(() => order.length > number);
    answer(number % 100);
    assert.equal(await receive(client), number % 100);
  }
});

test('request bytes in flight are limited; a single request may be larger', async (t) => {
  const held: (() => void)[] = [];
  const handle = serving(() => new Promise((resolve) => held.push(() => resolve(numbered(1)))));
  const { connect } = await listen(t, { handle, limits: { requestBytesInFlightPerConnectionMax: 1000 } });
  const client = await connect();
  for (let count = 0; count < 5; count++) {
    client.send('DescribeCluster', 1, { includeClusterAuthorizedOperations: false }, 'x'.repeat(600));
  }
  await until(() => held.length === 2);
  await pause();
  assert.equal(held.length, 2);
  held[0]!();
  await until(() => held.length === 3);
  client.send('DescribeCluster', 1, { includeClusterAuthorizedOperations: false }, 'x'.repeat(5000));
  for (let count = 1; count < 6; count++) {
    await until(() => held.length > count);
    held[count]!();
  }
  for (let count = 0; count < 6; count++) await receive(client);
});

test('entries of long lists count as memory, and long answers are encoded in turns and sent in order', async (t) => {
  const held: (() => void)[] = [];
  const topicsOf = ({ body }: ReceivedRequest) =>
    (body as unknown as RequestOf<Apis['Metadata']>).topics ?? [];
  const handle = serving((request) => {
    const topics = topicsOf(request).map(({ name }) => ({
      errorCode: 3,
      name,
      topicId: zeroUuid,
      partitions: [],
    }));
    const answer = { brokers: [], clusterId: 'c', controllerId: -1, topics };
    return new Promise((resolve) => held.push(() => resolve(answer)));
  });
  const entries = 3 * brokerLimits.entriesPerTurnMax;
  const bytes = entries * brokerLimits.longListEntryBytes;
  const { connect, clock } = await listen(t, { handle, limits: { requestBytesInFlightMax: bytes } });
  const [long, other] = [await connect(), await connect()];
  /** Lets work go on that is done in turns. */
  const turnsUntil = (isDone: () => boolean) =>
    until(() => {
      clock.advance(0);
      return isDone();
    });
  const topicsIn = async (client: TestClient) => {
    let topics: readonly { readonly name: string | null }[] | undefined;
    void client.receive('Metadata', 9).then(({ body }) => {
      topics = body.topics;
    });
    await turnsUntil(() => topics !== undefined);
    return topics!;
  };
  const ask = (client: TestClient, count: number) =>
    client.send('Metadata', 9, { topics: Array.from({ length: count }, (_, at) => ({ name: `t${at}` })) });
  ask(long, entries);
  await until(() => held.length === 1);
  ask(other, 1);
  await pause();
  assert.equal(held.length, 1, 'the memory is taken');
  held[0]!();
  await turnsUntil(() => held.length === 2);
  held[1]!();
  assert.equal((await topicsIn(other)).length, 1);
  const topics = await topicsIn(long);
  assert.deepEqual([topics.length, topics.at(-1)!.name], [entries, `t${entries - 1}`]);

  // A short answer waits for the long one before it, which is encoded in turns.
  ask(long, entries);
  await until(() => held.length === 3);
  held[2]!();
  ask(long, 2);
  await turnsUntil(() => held.length === 4);
  held[3]!();
  assert.equal((await topicsIn(long)).length, entries);
  assert.equal((await topicsIn(long)).length, 2);
});

test('a request with more entries than any API takes closes its connection', async (t) => {
  const { connect } = await listen(t, {});
  const client = await connect();
  const topics = new Array(brokerLimits.entriesPerRequestMax + 1).fill({ name: 't' });
  client.send('Metadata', 9, { topics });
  await client.closed;
});

test('all connections share one memory limit', async (t) => {
  const held: (() => void)[] = [];
  const handle = serving(() => new Promise((resolve) => held.push(() => resolve(numbered(1)))));
  const { connect, listener } = await listen(t, { handle, limits: { requestBytesInFlightMax: 1000 } });
  const [first, second, greedy] = [await connect(), await connect(), await connect()];
  first.send('DescribeCluster', 1, { includeClusterAuthorizedOperations: false }, 'x'.repeat(990));
  await until(() => held.length === 1);
  // There is no room for a second request until the first is answered.
  send(second, 2);
  send(second, 3);
  await pause();
  assert.equal(held.length, 1);
  held[0]!();
  await until(() => held.length === 3);
  held[1]!();
  held[2]!();
  await receive(second);
  // An unfinished frame may continue when the memory is full, but not forever.
  const unfinished = Buffer.alloc(1000);
  unfinished.writeInt32BE(1_000_000, 0);
  greedy.socket.write(unfinished);
  await pause();
  assert.equal(listener.connectionCount, 3);
  greedy.socket.write(Buffer.alloc(2000));
  await greedy.closed;
  first.send('DescribeCluster', 1, { includeClusterAuthorizedOperations: false });
  await until(() => held.length === 4);
});

test('a connection with a slow reader is not read, and is closed if its client takes nothing', async (t) => {
  const megabyte = Buffer.alloc(1 << 20, 7);
  let served = 0;
  const handle = serving(() => {
    served++;
    return {
      throttleTimeMs: 0,
      responses: [
        {
          topic: 't',
          partitions: [
            {
              partitionIndex: 0,
              errorCode: 0,
              highWatermark: 1n,
              abortedTransactions: null,
              records: megabyte,
            },
          ],
        },
      ],
    };
  });
  const limits = { responseBytesQueuedPerConnectionMax: 4 << 20 };
  const { connect, clock, listener } = await listen(t, { handle, limits });
  const fetch = { maxWaitMs: 0, minBytes: 0, topics: [] };

  // A client that reads late gets everything, byte for byte.
  const late = await connect();
  late.socket.pause();
  for (let count = 0; count < 40; count++) late.send('Fetch', 4, fetch);
  await until(() => served >= 4);
  await pause();
  const servedWhilePaused = served;
  assert.ok(servedWhilePaused < 40, `${served} answers were made for a client that reads none`);
  late.socket.resume();
  for (let count = 0; count < 40; count++) {
    const { correlationId, body } = await late.receive('Fetch', 4);
    assert.equal(correlationId, count + 1);
    assert.ok(megabyte.equals(body.responses[0]!.partitions[0]!.records!));
  }
  assert.equal(served, 40);

  const stuck = await connect();
  stuck.socket.pause();
  for (let count = 0; count < 40; count++) stuck.send('Fetch', 4, fetch);
  await until(() => served >= 44);
  await pause();
  assert.ok(served < 80);
  clock.advance(14_000);
  await pause();
  assert.equal(listener.connectionCount, 2);
  // On a slow machine the system may take the last bytes for the client only now, and the time begins anew.
  for (let count = 0; count < 10 && listener.connectionCount === 2; count++) {
    clock.advance(3_000);
    await pause();
  }
  await until(() => listener.connectionCount === 1);
  assert.equal((await late.call('Fetch', 4, fetch)).responses.length, 1);
});

test('what an answer refers to is held until it is sent or dropped, and is then released once', async (t) => {
  const released: number[] = [];
  const answers = new Map<number, (answer: Awaited<HandlerResult<Fields>>) => void>();
  const handle = serving(({ body, hold }) => {
    const number = (body as unknown as RequestOf<Apis['DescribeCluster']>).endpointType;
    hold!.add(() => released.push(number));
    return new Promise((resolve) => answers.set(number, resolve));
  });
  const { connect, metrics } = await listen(t, { handle });
  const large = (number: number) => ({ ...numbered(number), errorMessage: 'x'.repeat(32 * MiB) });
  const [reading, slow, leaving] = [await connect(), await connect(), await connect()];

  // An answer that waits for an earlier one is not sent yet.
  for (const number of [1, 2, 3]) send(reading, number);
  await until(() => answers.has(3));
  answers.get(2)!(numbered(2));
  answers.get(3)!('noReply');
  await until(() => released.length === 1);
  assert.deepEqual(released, [3], 'nothing is sent for it');
  answers.get(1)!(numbered(1));
  assert.deepEqual([await receive(reading), await receive(reading)], [1, 2]);
  await until(() => released.length === 3);
  assert.deepEqual(released, [3, 1, 2]);

  // The connection closes in the middle of an answer, while the next one waits and a third is being made.
  slow.socket.pause();
  for (const number of [4, 5, 6]) send(slow, number);
  await until(() => answers.has(6));
  answers.get(4)!(large(4));
  answers.get(5)!(large(5));
  await until(() => readingOf(metrics, listenerRows.bytesOut.name) > 64 * MiB);
  assert.deepEqual(released.slice(3), []);
  slow.socket.destroy();
  await until(() => released.length === 5);
  assert.deepEqual(released.slice(3), [4, 5]);
  answers.get(6)!(large(6));
  await until(() => released.length === 6);

  // A handler that is refused or fails, and one whose client has left.
  for (const number of [7, 8]) send(leaving, number);
  await until(() => answers.has(8));
  answers.get(7)!('close');
  await until(() => released.length === 7);
  answers.get(8)!(large(8));
  await until(() => released.length === 8);
  assert.deepEqual(released.slice(5), [6, 7, 8]);
});

test('a frame that was begun must make progress', async (t) => {
  const { connect, clock, listener, metrics } = await listen(t, {});
  const client = await connect();
  await until(() => listener.connectionCount === 1);
  client.socket.write(Buffer.from([0, 0, 0, 100, 0, 3]));
  await until(() => readingOf(metrics, listenerRows.bytesIn.name) === 6);
  clock.advance(10_000);
  client.socket.write(Buffer.from([0]));
  await until(() => readingOf(metrics, listenerRows.bytesIn.name) === 7);
  clock.advance(10_000);
  await pause();
  assert.equal(listener.connectionCount, 1);
  clock.advance(6_000);
  await client.closed;
});

test('the connection of a producer that added offsets to its transaction and does not go on is closed', async (t) => {
  const { connect, clock, listener, allSent } = await listen(t, {});
  const [stuck, paused, other] = [await connect(), await connect(), await connect()];
  await until(() => listener.connectionCount === 3);
  const transaction = { transactionalId: 't', producerId: 1n, producerEpoch: 0 };
  const addedPartitions = {
    v3AndBelowTransactionalId: 't',
    v3AndBelowProducerId: 1n,
    v3AndBelowProducerEpoch: 0,
    v3AndBelowTopics: [{ name: 'topic', partitions: [0] }],
  };
  for (const client of [stuck, paused]) {
    await client.call('AddOffsetsToTxn', 3, { ...transaction, groupId: 'g' });
    await client.call('AddPartitionsToTxn', 3, addedPartitions);
    await client.call('Metadata', 9, { topics: [] });
  }
  await other.call('Metadata', 9, { topics: [] });
  await allSent();
  clock.advance(awaitedCommitMsMax - 1_000);
  assert.equal(listener.connectionCount, 3);
  await paused.call('EndTxn', 3, { ...transaction, committed: true });
  await allSent();
  clock.advance(2_000);
  await stuck.closed;
  await until(() => listener.connectionCount === 2);
  clock.advance(600_000);
  await paused.call('Metadata', 9, { topics: [] });
  await other.call('Metadata', 9, { topics: [] });
});

test('an idle connection is closed, one that waits for an answer is not', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const { connect, clock, metrics, listener, allSent } = await listen(t, { handle });
  const [idle, waiting, busy] = [await connect(), await connect(), await connect()];
  await until(() => listener.connectionCount === 3);
  send(waiting, 1);
  await until(() => order.length === 1);
  clock.advance(1_800_000);
  send(busy, 2);
  await until(() => order.length === 2);
  answer(2);
  await receive(busy);
  await allSent();
  clock.advance(1_801_000);
  await idle.closed;
  await until(() => listener.connectionCount === 2);
  answer(1);
  assert.equal(await receive(waiting), 1);
  assert.match(metrics.render(), /service_agent_net_kafka_tcp_idle_conn_close 1/);
  await allSent();
  clock.advance(3_601_000);
  await Promise.all([waiting.closed, busy.closed]);
});

test('a throttled client gets its answer at once and is then not read for a while', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const { connect, clock } = await listen(t, { handle });
  const client = await connect();
  send(client, 1);
  await until(() => order.length === 1);
  answer(1, numbered(1, 500));
  assert.equal(await receive(client), 1);
  send(client, 2);
  await pause();
  clock.advance(499);
  await pause();
  assert.deepEqual(order, [1]);
  clock.advance(1);
  await until(() => order.length === 2);
  answer(2);
  assert.equal(await receive(client), 2);
});

test('of several throttle times the longest counts, regardless of the order of answers', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const { connect, clock } = await listen(t, { handle });
  const client = await connect();
  for (const number of [1, 2, 3]) send(client, number);
  await until(() => order.length === 3);
  for (const [number, throttleTimeMs] of [
    [1, 100],
    [2, 500],
    [3, 200],
  ] as const) {
    answer(number, numbered(number, throttleTimeMs));
    await receive(client);
  }
  send(client, 4);
  clock.advance(499);
  await pause();
  assert.equal(order.length, 3);
  clock.advance(1);
  await until(() => order.length === 4);
});

test('the number of connections is limited', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const limits = { connectionsMax: 2, reservedConnectionsMax: 0 };
  const { connect, listener } = await listen(t, { handle, limits });
  const [first, second] = [await connect(), await connect()];
  send(first, 1);
  send(second, 2);
  await until(() => order.length === 2);
  const third = await connect();
  await third.closed;
  answer(1, numbered(1));
  await receive(first);
  first.socket.destroy();
  await until(() => listener.connectionCount === 1);
  send(await connect(), 3);
  await until(() => order.length === 3);
});

test('a full listener takes a new connection in place of one that has sent no whole request', async (t) => {
  const limits = { connectionsMax: 3, reservedConnectionsMax: 0 };
  const { connect, listener } = await listen(t, { limits });
  const client = await connect();
  assert.equal((await client.call('ApiVersions', 0, {})).errorCode, 0);
  const halfSent = [await connect(), await connect()];
  for (const { socket } of halfSent) socket.write(Buffer.from([0, 0]));
  await until(() => listener.connectionCount === 3);
  const another = await connect();
  assert.equal((await another.call('ApiVersions', 0, {})).errorCode, 0);
  // Which of them is older depends on the threads that accepted them.
  await Promise.race(halfSent.map(({ closed }) => closed));
  assert.equal((await client.call('ApiVersions', 0, {})).errorCode, 0, 'a client that has sent one stays');
});

test('a handler is notified when its connection closes', async (t) => {
  let signal: AbortSignal | undefined;
  const handle = serving((request) => {
    signal = request.closed;
    return new Promise(() => {});
  });
  const { connect, listener } = await listen(t, { handle });
  const client = await connect();
  send(client, 1);
  await until(() => signal !== undefined);
  assert.equal(signal!.aborted, false);
  client.socket.destroy();
  await until(() => listener.connectionCount === 0);
  assert.equal(signal!.aborted, true);
});

test('stopping finishes requests in flight', async (t) => {
  const { handle, order, answer } = answeredByHand();
  const { connect, listener } = await listen(t, { handle });
  const [idle, busy] = [await connect(), await connect()];
  send(busy, 1);
  await until(() => order.length === 1);
  let isStopped = false;
  const stopped = listener.stop({ deadlineMs: 60_000 }).then(() => {
    isStopped = true;
  });
  await idle.closed;
  await assert.rejects(connect());
  send(busy, 2);
  await pause();
  assert.equal(isStopped, false);
  answer(1);
  assert.equal(await receive(busy), 1);
  await stopped;
  await busy.closed;
  assert.deepEqual(order, [1]);
});

test('stopping does not wait forever', async (t) => {
  const { handle, order } = answeredByHand();
  const { connect, listener, clock } = await listen(t, { handle });
  const client = await connect();
  send(client, 1);
  await until(() => order.length === 1);
  const stopped = listener.stop({ deadlineMs: 5000 });
  clock.advance(4999);
  assert.equal(listener.connectionCount, 1);
  clock.advance(1);
  await stopped;
  await client.closed;
  assert.equal(clock.waiting, 0);
});

test('a port that is in use is an error', async (t) => {
  const { listener } = await listen(t, {});
  const options = { host: '127.0.0.1', port: listener.port, limits: defaultListenerLimits(1) };
  const ports = { clock: new HandClock(), log: silentLog, metrics: new Metrics() };
  await assert.rejects(
    startKafkaListener({ ...options, ...ports, handle: serving(() => 'close'), servingThreads }),
    /EADDRINUSE/,
  );
  assert.equal(ports.clock.waiting, 0, 'nothing is left of it');
});

test('the memory of records is reused, but never before their request has been answered', async (t) => {
  const sizes = [100, 5_000, 16_000, 70_000, 300_000, 1_100_000];
  let overwritten = 0;
  const held: (() => void)[] = [];
  const handle = serving((request) => {
    const { records } = (request.body as unknown as RequestOf<Apis['Produce']>).topicData[0]!
      .partitionData[0]!;
    const mark = records![0]!;
    return new Promise((resolve) => {
      held.push(() => {
        if (!records!.equals(Buffer.alloc(records!.length, mark))) overwritten++;
        resolve({ responses: [], throttleTimeMs: 0 });
      });
    });
  });
  const { connect } = await listen(t, { handle });
  const clients = await Promise.all(Array.from({ length: 4 }, connect));
  const rounds = 50;
  const total = rounds * clients.length * sizes.length;
  let answered = 0;
  const answer = (some: (() => void)[]) => {
    for (const one of some) one();
    answered += some.length;
  };
  // 300 MB through a pool of 64 MiB, with short and long waits.
  for (let round = 0; round < rounds; round++) {
    for (const [index, client] of clients.entries()) {
      for (const [at, bytes] of sizes.entries()) {
        const records = Buffer.alloc(bytes, 1 + ((round * 24 + index * 6 + at) % 255));
        client.send('Produce', 9, {
          acks: -1,
          timeoutMs: 1000,
          topicData: [{ name: 't', partitionData: [{ index: 0, records }] }],
        });
      }
    }
    await until(() => held.length >= 24);
    answer(held.splice(round % 3, 24));
  }
  while (answered < total) {
    await until(() => held.length > 0);
    answer(held.splice(0));
  }
  for (const client of clients) {
    for (let count = 0; count < rounds * sizes.length; count++) await client.receive('Produce', 9);
  }
  assert.equal(overwritten, 0);
});

test('metrics label requests by API name', async (t) => {
  const { connect, metrics } = await listen(t, {});
  const client = await connect();
  await client.call('ApiVersions', 0, {});
  await client.call('Metadata', 9, { topics: [] });
  await client.call('Metadata', 9, { topics: [] });
  const text = metrics.render();
  assert.match(text, /service_agent_kafka_request_count\{kafka_key="Metadata"\} 2/);
  assert.match(text, /service_agent_kafka_inflight_connections 1/);
  assert.match(text, /service_agent_kafka_inflight_requests 0/);
  assert.match(
    text,
    /service_agent_kafka_request_latency_count\{kafka_key="ApiVersions",outcome="success"\} 1/,
  );
});

const trusting = (...trustedCidrs: string[]) => ({
  principalType: undefined,
  trustedCidrs,
  allowsSuperusers: false,
});

test('a peer that is not a trusted proxy is rejected, whatever it sends', async (t) => {
  const handle = serving(() => assert.fail('unexpected request'));
  const { connect } = await listen(t, { handle, proxyProtocol: trusting('10.0.0.0/8', 'fd00::/8') });
  const client = await connect();
  client.socket.write(proxyHeader);
  send(client, 1);
  await client.closed;
});

test('a dual-stack listener reports IPv4 clients with IPv4 addresses', { skip: skipsIpv6 }, async (t) => {
  const seen: string[] = [];
  const handle = serving(({ session }) => {
    seen.push(session.remoteAddress);
    return numbered(1);
  });
  // The address form of such a listener, on loopback only.
  const host = '::ffff:127.0.0.1';
  const plain = await (await listen(t, { host, handle })).connect();
  send(plain, 1);
  await receive(plain);
  const { connect } = await listen(t, { host, handle, proxyProtocol: trusting('10.0.0.0/8') });
  const client = await connect();
  client.socket.write(proxyHeader);
  await client.closed;
  assert.deepEqual(seen, ['127.0.0.1']);
});

/** PROXY header of version 2, for a client at 192.0.2.1:54321. */
const proxyHeader = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000201cb007105d4312384', 'hex');

test('a plain connection with a PROXY header is served for the client that the header names', async (t) => {
  const seen: string[] = [];
  const handle = serving(({ session, body }) => {
    seen.push(`${session.remoteAddress}:${session.remotePort}`);
    return numbered((body as unknown as RequestOf<Apis['DescribeCluster']>).endpointType);
  });
  const { connect } = await listen(t, { handle, proxyProtocol: trusting('127.0.0.0/8') });
  for (const cut of [0, 1, 12, 16, proxyHeader.length]) {
    const client = await connect();
    client.socket.write(proxyHeader.subarray(0, cut));
    await pause(1);
    client.socket.write(proxyHeader.subarray(cut));
    for (const number of [1, 2]) send(client, number);
    assert.equal(await receive(client), 1, `cut at ${cut}`);
    assert.equal(await receive(client), 2);
    send(client, 3);
    assert.equal(await receive(client), 3);
  }
  assert.deepEqual([...new Set(seen)], ['192.0.2.1:54321']);
  // A connection without a header is rejected, and so is one with a header if the listener expects none.
  const without = await connect();
  send(without, 1);
  await without.closed;
  // Its first four bytes are read as a frame length beyond the limit.
  const limits = { frameBytesMax: 100 * MiB };
  const plain = await (await listen(t, { handle, limits })).connect();
  plain.socket.write(proxyHeader);
  await plain.closed;
});
