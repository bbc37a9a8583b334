import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { type LogFields, Metrics, MiB, silentLog } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import { type Apis, buildRecordBatch, type Fields, type RequestOf } from '@weir/wire';
import { TestClient } from '../../testing/test-client.ts';
import { defaultListenerLimits } from '../net/limits.ts';
import type { HandlerResult } from '../requests/handler-result.ts';
import type { ReceivedRequest } from '../requests/request-server.ts';
import { startKafkaListener } from './kafka-listener.ts';
import { servingRows } from './serving-metrics.ts';

interface Options {
  readonly threads: number;
  readonly connectionsMax?: number;
  readonly greetingMs?: number;
  readonly frameBytesMax?: () => number;
  readonly serve?: (request: ReceivedRequest) => HandlerResult<Fields>;
}

/** Starts a listener with serving threads, and keeps hold of them. */
async function listen(
  t: TestContext,
  { threads, connectionsMax, greetingMs, frameBytesMax, serve }: Options,
) {
  const workers: Worker[] = [];
  const keep = (worker: Worker) => void workers.push(worker);
  process.on('worker', keep);
  const clock = new HandClock();
  const metrics = new Metrics();
  const errors: LogFields[] = [];
  const limits = defaultListenerLimits(1);
  const listener = await startKafkaListener({
    host: '127.0.0.1',
    port: 0,
    handle: {
      serves: () => true,
      ...(frameBytesMax !== undefined && { frameBytesMax }),
      refuseApiVersions: () => ({ errorCode: 0, apiKeys: [] }),
      serve: serve ?? (() => ({ errorCode: 0, apiKeys: [] })),
    },
    limits: {
      ...limits,
      connectionsMax: connectionsMax ?? limits.connectionsMax,
      reservedConnectionsMax: 0,
      greetingMs: greetingMs ?? limits.greetingMs,
    },
    servingThreads: threads,
    clock,
    log: { ...silentLog, error: (_message, fields = {}) => void errors.push(fields) },
    metrics,
  });
  const clients: TestClient[] = [];
  t.after(async () => {
    process.off('worker', keep);
    for (const { socket } of clients) socket.destroy();
    const stopped = listener.stop({ deadlineMs: 1_000 });
    // A request without an answer holds its connection until the deadline, unless the end of its client comes first.
    clock.advance(1_000);
    await stopped;
  });
  return {
    listener,
    workers,
    clock,
    metrics,
    errors,
    async connect() {
      const client = await TestClient.connect(listener.port);
      clients.push(client);
      return client;
    },
    /** Connections of each thread. */
    perThread() {
      clock.advance(1_000);
      const { series } = metrics.read().find(({ row }) => row.name === servingRows.connections.name)!;
      return series.map(({ value }) => value);
    },
  };
}

const call = (client: TestClient) => client.call('ApiVersions', 0, {});

test('threads share one port, one limit of connections and one set of metrics', async (t) => {
  const { listener, connect, perThread, metrics } = await listen(t, { threads: 3, connectionsMax: 30 });
  const clients = await Promise.all(Array.from({ length: 30 }, connect));
  await Promise.all(clients.map(call));
  assert.equal(listener.connectionCount, 30);
  const connections = perThread();
  assert.equal(connections.length, 3);
  assert.equal(
    connections.reduce((sum, count) => sum + count),
    30,
  );
  // The system spreads them by a hash of their ports.
  assert.ok(connections.filter((count) => count > 0).length > 1, connections.join());
  assert.match(metrics.render(), /service_agent_kafka_inflight_connections 30\n/);
  assert.match(metrics.render(), /service_agent_kafka_request_count\{kafka_key="ApiVersions"\} 30\n/);
  // One more takes the place of an idle one, in whichever thread that is.
  await call(await connect());
  await until(() => listener.connectionCount === 30);
  await Promise.race(clients.map(({ closed }) => closed));
});

test('a connection above the limit is gone at once, and counted once', async (t) => {
  const waiting: ReceivedRequest[] = [];
  const { connect, perThread, metrics } = await listen(t, {
    threads: 2,
    connectionsMax: 1,
    greetingMs: 3_600_000,
    serve(request) {
      waiting.push(request);
      return new Promise<'close'>(() => {});
    },
  });
  const busy = await connect();
  busy.send('ApiVersions', 0, {});
  await until(() => waiting.length === 1);
  const refused = await connect();
  await refused.closed;
  await until(() => perThread().reduce((sum, count) => sum + count) === 1);
  const closed = metrics.render().match(/^service_agent_kafka_\S*close\S*\{.*$/gm) ?? [];
  assert.deepEqual(
    closed.filter((line) => !line.endsWith(' 0')).map((line) => line.replace(/^.*"(\w+)"\}/, '$1')),
    ['limit 1'],
  );
});

test('a thread that ends takes its connections with it, and is started again', async (t) => {
  const waiting: ReceivedRequest[] = [];
  const serve = (request: ReceivedRequest) => {
    if (request.api.name === 'ApiVersions') return { errorCode: 0, apiKeys: [] };
    waiting.push(request);
    return new Promise<'close'>(() => {});
  };
  const { listener, workers, clock, connect, errors, metrics, perThread } = await listen(t, {
    threads: 2,
    serve,
  });
  const clients = await Promise.all(Array.from({ length: 20 }, connect));
  for (const client of clients)
    client.send('DescribeCluster', 1, { includeClusterAuthorizedOperations: false });
  await until(() => waiting.length === 20);
  const [lost] = workers;
  await lost!.terminate();
  await until(() => listener.connectionCount < 20);
  const left = listener.connectionCount;
  assert.equal(waiting.filter(({ closed }) => closed.aborted).length, 20 - left);
  assert.equal(errors.length, 1);
  assert.equal(errors[0]!.restartMs, 250);
  assert.match(metrics.render(), /service_agent_serving_thread_restart_counter 1\n/);
  // The port stays open meanwhile.
  await call(await connect());
  clock.advance(250);
  await until(() => workers.length === 3);
  // It joins the port: sooner or later a connection is its own.
  while (perThread()[0] === 0) await call(await connect());
});

test('a thread checks the CRCs of batches, and leaves what is wrong to the handler', async (t) => {
  const seen: (boolean | undefined)[] = [];
  let recordsBytes = 0;
  const { connect } = await listen(t, {
    threads: 2,
    serve(request) {
      seen.push(request.hasCheckedCrcs);
      const { topicData } = request.body as unknown as RequestOf<Apis['Produce']>;
      recordsBytes = topicData[0]!.partitionData.reduce((sum, { records }) => sum + records!.length, 0);
      return { responses: [], throttleTimeMs: 0 };
    },
  });
  const intact = buildRecordBatch([{ timestamp: 1n, key: null, value: Buffer.from('value') }]);
  const damaged = Buffer.from(intact);
  damaged[damaged.length - 1]! ^= 1;
  // Larger than what frames share.
  const large = buildRecordBatch([{ timestamp: 1n, key: null, value: Buffer.alloc(9 * MiB, 3) }]);
  const cases: [what: string, records: readonly Buffer[], isChecked: boolean][] = [
    ['intact', [intact, intact], true],
    ['damaged', [intact, damaged], false],
    ['truncated', [intact.subarray(0, -1)], false],
    ['two batches', [Buffer.concat([intact, intact])], false],
    ['no batch', [Buffer.alloc(0)], false],
    ['large', [large], true],
  ];
  const client = await connect();
  for (const [what, batches, isChecked] of cases) {
    await client.call('Produce', 9, {
      acks: -1,
      timeoutMs: 1000,
      topicData: [{ name: 't', partitionData: batches.map((records, index) => ({ index, records })) }],
    });
    assert.equal(seen.at(-1), isChecked, what);
    assert.equal(
      recordsBytes,
      batches.reduce((sum, { length }) => sum + length, 0),
      what,
    );
  }
});

test('a client may send larger frames as soon as it knows of its login, and not before', async (t) => {
  let isLoggedIn = false;
  const { connect } = await listen(t, {
    threads: 2,
    frameBytesMax: () => (isLoggedIn ? MiB : 1000),
    serve({ api }) {
      if (api.name === 'Produce') return { responses: [], throttleTimeMs: 0 };
      isLoggedIn = true;
      return { errorCode: 0, apiKeys: [] };
    },
  });
  const records = buildRecordBatch([{ timestamp: 1n, key: null, value: Buffer.alloc(10_000) }]);
  const produced = {
    acks: -1,
    timeoutMs: 1000,
    topicData: [{ name: 't', partitionData: [{ index: 0, records }] }],
  };
  const early = await connect();
  early.send('Produce', 9, produced);
  await early.closed;
  const client = await connect();
  await call(client);
  await client.call('Produce', 9, produced);
});
