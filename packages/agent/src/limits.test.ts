import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokerLimits } from '@weir/broker';
import { batchOf, codeOf, type TestClient } from '@weir/broker/testing';
import { MiB } from '@weir/core';
import { pause, until } from '@weir/core/testing';
import { apis, encodeRequest } from '@weir/wire';
import { type AgentUnderTest, startAgentUnderTest } from '../testing/running-agent.ts';
import type { AgentOptions } from './agent-options.ts';

/**
 * Every limit on clients, tested against a whole agent: what the client that exceeds it sees, and what the metrics
 * show. A bystander on a connection of its own is served afterwards in every case.
 */
interface LimitCase {
  readonly limit: string;
  readonly options?: Partial<AgentOptions>;
  drive(under: AgentUnderTest): Promise<void>;
  /** The series that show it, with their values afterwards. */
  readonly stats: Readonly<Record<string, number>>;
}

const closed = (reason: string) => `agent_kafka_connection_closed_counter{reason="${reason}"}`;
const held = (method: string, source: string) =>
  `agent_produce_backpressure_count{kafka_method="${method}",backpressure_source="${source}"}`;
const answered = (api: string) => `agent_kafka_request_outcome{kafka_key="${api}",outcome="success"}`;
const begun = (api: string) => `agent_kafka_request_count{kafka_key="${api}"}`;

function produceBody(records: Buffer, acks = -1, timeoutMs = 60_000) {
  return {
    transactionalId: null,
    acks,
    timeoutMs,
    topicData: [{ name: 't', partitionData: [{ index: 0, records }] }],
  };
}

const small = batchOf(['small']);

async function produced(client: TestClient, records: Buffer): Promise<number> {
  const answer = await client.call('Produce', 9, produceBody(records));
  return answer.responses[0]!.partitionResponses[0]!.errorCode;
}

function fetchBody(partitions: readonly number[], maxBytes: number, partitionMaxBytes: number) {
  return {
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [
      {
        topic: 't',
        partitions: partitions.map((partition) => ({ partition, fetchOffset: 0n, partitionMaxBytes })),
      },
    ],
    forgottenTopicsData: [],
  };
}

/** A promise that the test settles, to hold something back. */
function gateway(): { readonly opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A Produce frame that never ends. */
function halfFrame(bytes: number, claimedBytes = 10 * MiB): Buffer {
  const frame = Buffer.alloc(bytes);
  frame.writeInt32BE(claimedBytes, 0);
  frame.writeInt16BE(apis.Produce.key, 4);
  frame.writeInt16BE(9, 6);
  return frame;
}

const cases: readonly LimitCase[] = [
  {
    limit: 'connections',
    options: { limits: { connectionsMax: 3, reservedConnectionsMax: 0 } },
    async drive({ connect }) {
      const silent = await connect();
      const first = await connect();
      assert.equal(await produced(first, small), 0);
      const another = await connect();
      assert.equal(await produced(another, small), 0);
      await silent.closed;
      assert.equal(await produced(first, small), 0, 'other connections stay open');
    },
    stats: { [closed('limit')]: 1, agent_net_kafka_tcp_limit_listener_acquire_count: 4 },
  },
  {
    limit: 'size of a record',
    options: { recordBytesMax: MiB },
    async drive({ connect }) {
      const client = await connect();
      assert.equal(await produced(client, batchOf([Buffer.alloc(MiB)])), codeOf('MESSAGE_TOO_LARGE'));
      // The limit applies to single records: together they may be larger.
      const many = batchOf([Buffer.alloc(MiB - 100), Buffer.alloc(MiB - 100)]);
      assert.equal(await produced(client, many), 0, 'the connection stays open');
    },
    stats: { [answered('Produce')]: 2, agent_kafka_produce_records_counter: 2 },
  },
  {
    limit: 'size of a frame',
    async drive({ connect, untilStat }) {
      const client = await connect();
      const frame = Buffer.alloc(4);
      frame.writeInt32BE(brokerLimits.requestFrameBytesMax + 1, 0);
      client.socket.write(frame);
      await client.closed;
      await untilStat(closed('malformed'), 1);
    },
    stats: { [closed('malformed')]: 1 },
  },
  {
    limit: 'bytes of a fetch, and of one partition of it',
    options: { fetchRequestBytesMax: 250_000, fetchPartitionBytesMax: 120_000 },
    async drive({ connect }) {
      const client = await connect();
      for (const partition of [0, 1, 2, 3]) {
        for (let count = 0; count < 3; count++) {
          const body = produceBody(batchOf([Buffer.alloc(50_000)]));
          body.topicData[0]!.partitionData[0]!.index = partition;
          await client.call('Produce', 9, body);
        }
      }
      const answer = await client.call('Fetch', 11, fetchBody([0, 1, 2, 3], 100 * MiB, 100 * MiB));
      const batches = answer.responses[0]!.partitions.map(({ records }) =>
        Math.floor((records?.length ?? 0) / 50_000),
      );
      // 120,000 bytes are two batches of a partition, and 250,000 are four of all.
      assert.deepEqual(batches, [2, 2, 0, 0]);
    },
    stats: { [answered('Fetch')]: 1, agent_kafka_fetch_records_counter: 4 },
  },
  {
    limit: 'metadata requests at a time',
    options: { metadataRequestsPerCpu: 2, metadataAsksLeader: true },
    async drive({ connect, cluster, metric, untilStat }) {
      const { opened, open } = gateway();
      const describe = cluster.describeJournal.bind(cluster);
      let asked = 0;
      cluster.describeJournal = async () => {
        asked++;
        await opened;
        return describe();
      };
      const [greedy, modest, leaving] = [await connect(), await connect(), await connect()];
      const ask = (client: TestClient) => client.send('Metadata', 9, { topics: [{ name: 't' }] });
      for (let count = 0; count < 4; count++) ask(greedy);
      await until(() => asked === 2);
      ask(leaving);
      ask(modest);
      await untilStat('agent_kafka_metadata_waiting_requests', 4);
      assert.equal(asked, 2);
      assert.equal(await metric('agent_kafka_metadata_running_requests'), 2);
      leaving.socket.destroy();
      await untilStat('agent_kafka_metadata_waiting_requests', 3);
      open();
      for (let count = 0; count < 4; count++) {
        assert.equal((await greedy.receive('Metadata', 9)).body.topics[0]!.errorCode, 0);
      }
      assert.equal((await modest.receive('Metadata', 9)).body.topics[0]!.name, 't');
      assert.equal(asked, 5, 'the request of the client that left was not begun');
    },
    stats: {
      [held('metadata', 'metadata_requests')]: 4,
      agent_kafka_metadata_running_requests: 0,
      agent_kafka_metadata_waiting_requests: 0,
    },
  },
  {
    limit: 'files in flight',
    options: { flush: { windowMs: 0, uncompressedBytesMax: 1, compressedBytesMax: 1 } },
    async drive({ connect, store, untilStat }) {
      const { opened, open } = gateway();
      store.beforePut = () => opened;
      const clients = [await connect(), await connect()];
      for (const client of clients) {
        for (let count = 0; count < 40; count++) client.send('Produce', 9, produceBody(small));
      }
      // Of 80, one is in the open file.
      await untilStat(held('produce', 'inflight_files'), 15);
      assert.equal(store.puts, 64, 'no file is closed beyond the limit');
      open();
      let throttled = 0;
      for (const client of clients) {
        for (let count = 0; count < 40; count++) {
          const { body } = await client.receive('Produce', 9);
          assert.equal(body.responses[0]!.partitionResponses[0]!.errorCode, 0);
          throttled += body.throttleTimeMs > 0 ? 1 : 0;
        }
      }
      assert.equal(throttled, 0, 'time stood still, so no request was delayed');
    },
    stats: { [held('produce', 'inflight_files')]: 15, agent_kafka_produce_records_counter: 80 },
  },
  {
    limit: 'bytes that wait for the store',
    options: { bufferedBytesMax: 3 * MiB },
    async drive({ connect, store, clock, untilStat }) {
      const { opened, open } = gateway();
      store.beforePut = () => opened;
      const client = await connect();
      const large = batchOf([Buffer.alloc(MiB)]);
      for (let count = 0; count < 8; count++) client.send('Produce', 9, produceBody(large));
      await untilStat(held('produce', 'buffered_bytes'), 6);
      clock.advance(300);
      open();
      const outcomes: [error: number, throttleMs: number][] = [];
      for (let count = 0; count < 8; count++) {
        const { body } = await client.receive('Produce', 9);
        outcomes.push([body.responses[0]!.partitionResponses[0]!.errorCode, body.throttleTimeMs]);
        // A throttled connection is not read until its throttle time is over.
        clock.advance(1_000);
      }
      const refusal = codeOf('REQUEST_TIMED_OUT');
      assert.deepEqual(
        outcomes.map(([error, throttleMs]) =>
          error === refusal ? 'refused' : throttleMs > 0 ? 'held' : 'taken',
        ),
        ['taken', 'taken', 'held', 'held', 'refused', 'refused', 'refused', 'refused'],
      );
    },
    stats: { [held('produce', 'buffered_bytes')]: 6 },
  },
  {
    limit: 'requests of one connection at a time',
    options: { limits: { requestsInFlightPerConnectionMax: 2 } },
    async drive({ connect, store, metric, untilRead }) {
      const { opened, open } = gateway();
      store.beforePut = () => opened;
      const client = await connect();
      for (let count = 0; count < 5; count++) client.send('Produce', 9, produceBody(small));
      await untilRead();
      assert.equal(await metric(begun('Produce')), 2, 'the other requests wait');
      open();
      for (let count = 0; count < 5; count++) await client.receive('Produce', 9);
    },
    stats: { [answered('Produce')]: 5, agent_kafka_inflight_requests: 0 },
  },
  {
    limit: 'bytes of requests of all connections',
    options: { limits: { requestBytesInFlightMax: MiB } },
    async drive({ connect, metric, untilRead }) {
      const [patient, greedy] = [await connect(), await connect()];
      patient.socket.write(halfFrame(MiB / 2));
      greedy.socket.write(halfFrame(MiB / 4));
      await untilRead();
      patient.socket.write(Buffer.alloc(MiB));
      await untilRead();
      const unserved = await connect();
      unserved.send('ApiVersions', 0, {});
      await untilRead();
      // At twice the limit the connection that continues is closed.
      greedy.socket.write(Buffer.alloc(MiB));
      await greedy.closed;
      assert.equal(await metric(begun('ApiVersions')), 1, 'only the bystander was served before');
      patient.socket.destroy();
      assert.equal((await unserved.receive('ApiVersions', 0)).body.errorCode, 0);
    },
    stats: { [closed('memory')]: 1 },
  },
  {
    limit: 'bytes of answers of all connections',
    options: { limits: { responseBytesMax: 2 * MiB }, fetchRequestBytesMax: 64 * MiB },
    async drive({ connect, pass, metric, untilStat }) {
      const writer = await connect();
      for (let count = 0; count < 40; count++) {
        assert.equal(await produced(writer, batchOf([Buffer.alloc(MiB - 200, count)])), 0);
      }
      const stuck = await Promise.all(Array.from({ length: 30 }, () => connect()));
      for (const client of stuck) {
        client.socket.pause();
        for (let count = 0; count < 5; count++) {
          client.send('Fetch', 11, fetchBody([0], 64 * MiB, 64 * MiB));
        }
      }
      await untilStat('agent_kafka_answer_bytes', (bytes) => bytes >= MiB);
      // A client that does not read loses its connection soon, and then the others are served.
      const reader = await connect();
      reader.send('Fetch', 11, fetchBody([0], 64 * MiB, 64 * MiB));
      for (let seconds = 0; seconds < 40; seconds++) {
        // Each answer may exceed it by the one batch that a fetch always gets.
        const bytes = await metric('agent_kafka_answer_bytes');
        assert.ok(bytes < 6 * MiB, `${bytes} bytes of answers`);
        await pass(1_000);
      }
      await untilStat(closed('slow'), (count) => count > 0);
      const { body } = await reader.receive('Fetch', 11);
      assert.equal(body.errorCode, 0);
    },
    stats: {},
  },
  {
    limit: 'deadline of a frame that was begun',
    async drive({ connect, pass, untilRead, untilStat }) {
      const [silent, trickling] = [await connect(), await connect()];
      silent.socket.write(halfFrame(1000));
      trickling.socket.write(halfFrame(1000));
      await untilRead();
      await pass(10_000);
      trickling.socket.write(Buffer.of(0));
      await untilRead();
      await pass(7_000);
      await silent.closed;
      trickling.socket.write(Buffer.of(0));
      await untilRead();
      trickling.socket.destroy();
      await untilStat(closed('peer'), 1);
    },
    stats: { [closed('slow')]: 1, [closed('peer')]: 1 },
  },
  {
    limit: 'time without a request',
    options: { idleConnectionMs: 60_000 },
    async drive({ connect, pass, untilStat }) {
      const idle = await connect();
      await pass(62_000);
      await idle.closed;
      await untilStat(closed('idle'), 2);
    },
    // The bystander was idle as long and gets a new connection.
    stats: { agent_net_kafka_tcp_idle_conn_close: 2, [closed('idle')]: 2 },
  },
  {
    limit: 'load of the processor',
    options: { highCpuPercent: 90 },
    async drive({ connect, load, pass, clock, metric }) {
      const client = await connect();
      const produceNow = async () => {
        const { throttleTimeMs } = await client.call('Produce', 9, produceBody(small));
        return throttleTimeMs;
      };
      assert.equal(await produceNow(), 0);
      await pass(10_000);
      load.eventLoop = 1;
      load.loopCpu = 0.5;
      await pass(10_000);
      assert.equal(await produceNow(), 0, 'a loop that waits for the processor does not use it up');
      load.loopCpu = 0.95;
      await pass(5_000);
      const first = await produceNow();
      assert.ok(first > 0, 'the response has a throttle time');
      // A client that does not wait is not read: the next answer comes when the throttle time is over.
      client.send('Produce', 9, produceBody(small));
      assert.equal(await metric(begun('Produce')), 3, 'the next request is not read');
      load.eventLoop = load.loopCpu = 0.1;
      clock.advance(first);
      assert.equal((await client.receive('Produce', 9)).body.responses.length, 1);
      await pass(250);
      assert.equal(await produceNow(), 0, 'throttling ends with the load');
    },
    stats: { [held('produce', 'cpu')]: 2, agent_connection_throttle_count: 2, agent_cpu_backpressure: 0 },
  },
  {
    limit: 'a processor load without back-pressure',
    options: { highCpuPercent: 0 },
    async drive({ connect, load, pass }) {
      const client = await connect();
      load.cpu = 1;
      await pass(20_000);
      assert.equal((await client.call('Produce', 9, produceBody(small))).throttleTimeMs, 0);
    },
    stats: { agent_cpu_backpressure: 0 },
  },
];

async function knowsTopic(client: TestClient): Promise<boolean> {
  const { topics } = await client.call('Metadata', 9, {
    topics: [{ name: 't' }],
    allowAutoTopicCreation: false,
  });
  return topics[0]!.errorCode === 0;
}

for (const { limit, options = {}, drive, stats } of cases) {
  test(`limit: ${limit}`, async (t) => {
    const under = await startAgentUnderTest(t, options);
    under.cluster.addTopic('t', 4);
    let bystander = await under.connect();
    assert.equal((await bystander.call('ApiVersions', 0, {})).errorCode, 0);
    while (!(await knowsTopic(bystander))) await pause(1);
    await drive(under);
    for (const [series, expected] of Object.entries(stats)) {
      assert.equal(await under.metric(series), expected, series);
    }
    if (bystander.socket.destroyed) bystander = await under.connect();
    assert.equal((await bystander.call('Metadata', 9, { topics: [{ name: 't' }] })).topics.length, 1);
    assert.equal(await produced(bystander, small), 0);
  });
}

test('if too many Metadata requests wait, clients get a retriable error', async (t) => {
  const under = await startAgentUnderTest(t, {
    metadataRequestsPerCpu: 1,
    metadataAsksLeader: true,
    limits: { requestsInFlightPerConnectionMax: 5000 },
  });
  under.cluster.describeJournal = () => new Promise(() => {});
  const client = await under.connect();
  const names = (name: string) => ({ topics: [{ name }], allowAutoTopicCreation: true });
  const header = { correlationId: 1, clientId: 'c' };
  const frame = Buffer.concat(encodeRequest(apis.Metadata, 9, header, names('held')));
  client.socket.write(
    Buffer.concat(new Array<Buffer>(1 + brokerLimits.metadataRequestsWaitingMax).fill(frame)),
  );
  await under.untilStat('agent_kafka_metadata_waiting_requests', brokerLimits.metadataRequestsWaitingMax);
  const late = await under.connect();
  const [topic] = (await late.call('Metadata', 9, names('late'))).topics;
  assert.equal(topic?.errorCode, codeOf('LEADER_NOT_AVAILABLE'));
  // A request for all topics has no topics that could carry an error, so the connection is closed.
  late.send('Metadata', 9, { topics: null });
  await late.closed;
});
