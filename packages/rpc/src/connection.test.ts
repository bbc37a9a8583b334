import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CallName,
  CallNotDone,
  CallRefused,
  CallTooLarge,
  type ClusterChange,
  type ClusterFollower,
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
  clusterCalls,
  type FileCommit,
  filesToSend,
} from '@weir/cluster';
import { callNames } from '@weir/cluster/testing';
import { Metrics, seededRandom, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { Followers } from '@weir/metadata/testing';
import {
  AgentKeyRefused,
  type Channel,
  type ChannelListener,
  DialError,
  type EndCode,
  endCodes,
} from './channel/channel.ts';
import { type ClusterClient, connectCluster } from './client/client.ts';
import type { KeyPlace } from './client/connector.ts';
import type { ClientHello } from './frames/bodies.ts';
import { callLimits, decodeFrame, encodeFrame, replyLimits } from './frames/frame.ts';
import type { Frame } from './frames/frame-kinds.ts';
import { rpcLimits } from './limits.ts';
import { ReplyMemory } from './server/reply-memory.ts';
import { serveConnection } from './server/serve-connection.ts';
import type { ServedCluster } from './server/served-cluster.ts';

/** Client and server over channels in memory, with a manual clock. */

/** One end of a channel in memory. */
class MemoryEnd implements Channel {
  other!: MemoryEnd;
  /** Frames are lost from here on, unnoticed. */
  isDeaf = false;
  /** Frames stay unsent, as when the peer does not read. */
  isStalled = false;
  readonly sent: Frame[] = [];
  /** Bytes, also of frames that are not complete. */
  received = 0;
  pauses = 0;
  resumes = 0;
  #listener: ChannelListener | undefined;
  #isEnded = false;
  readonly #held: Uint8Array[] = [];

  send(frame: Uint8Array): void {
    if (this.#isEnded) return;
    this.sent.push(decodeFrame(frame, replyLimits));
    this.#held.push(frame);
    this.flush();
  }

  flush(): void {
    if (this.isStalled) return;
    for (const frame of this.#held.splice(0)) {
      queueMicrotask(() => {
        if (!this.isDeaf) this.other.deliver(frame);
      });
    }
  }

  deliver(frame: Uint8Array): void {
    if (this.#isEnded) return;
    this.received += frame.length;
    this.#listener!.onFrame(frame);
  }

  receivedBytes = () => this.received;

  unsentBytes = () => this.#held.reduce((sum, { length }) => sum + length, 0);

  listen(listener: ChannelListener): void {
    this.#listener = listener;
  }

  /** Frames that are under way are still delivered. */
  pause(): void {
    this.pauses++;
  }

  resume(): void {
    this.resumes++;
  }

  close(code: EndCode, reason: string): void {
    this.end(code, reason);
    queueMicrotask(() => this.other.end(code, reason));
  }

  abort(): void {
    this.end(undefined, '');
    queueMicrotask(() => this.other.end(undefined, ''));
  }

  end(code: number | undefined, reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    queueMicrotask(() => this.#listener?.onEnd(code, reason));
  }
}

/** A port with the given methods, which fails the test on any other call. */
function portOf(methods: Partial<ClusterPort>): ClusterPort {
  const refusals = Object.fromEntries(
    callNames.map((name) => [name, () => Promise.reject(new Error(`${name} was not expected`))]),
  ) as unknown as Pick<ClusterPort, CallName>;
  return { ...refusals, follow: () => () => {}, ...methods };
}

interface Process {
  readonly url: string;
  port: ServedCluster | undefined;
  memory: ReplyMemory;
  isDown: boolean;
  keys: readonly string[];
  readonly channels: { readonly server: MemoryEnd; readonly client: MemoryEnd }[];
}

class World {
  readonly clock = new HandClock();
  readonly metrics = new Metrics();
  readonly processes = new Map<string, Process>();
  readonly dialled: string[] = [];
  readonly refusedKeys: string[] = [];
  key = 'aks_good';
  keyAt: (place: KeyPlace) => string = () => this.key;
  members: readonly string[] = [];
  /** By address; without them processes report no regions, as earlier releases. */
  regions: Readonly<Record<string, string>> | undefined;
  readonly reportedRegions: string[] = [];
  isMember = false;
  client!: ClusterClient;

  process(url: string, port: ServedCluster): Process {
    const made: Process = {
      url,
      port,
      memory: new ReplyMemory(this.clock),
      isDown: false,
      keys: ['aks_good'],
      channels: [],
    };
    this.processes.set(url, made);
    return made;
  }

  connect(...urls: string[]): ClusterClient {
    const { clock, metrics } = this;
    this.client = connectCluster({
      urls,
      clusterId: 'vci_test',
      agentKey: (place) => this.keyAt(place),
      onAgentKeyRefused: (key) => void this.refusedKeys.push(key),
      onRegions: (regions) => void this.reportedRegions.push(regions.join(' ')),
      clock,
      metrics,
      random: seededRandom(1),
      log: silentLog,
      dial: async ({ url, agentKey }) => {
        this.dialled.push(url);
        const process = this.processes.get(url);
        if (process === undefined || process.isDown) throw new DialError(`${url}: ECONNREFUSED`);
        if (!process.keys.includes(agentKey)) throw new AgentKeyRefused(`${url}: 401`);
        return this.#serve(process);
      },
    });
    return this.client;
  }

  #serve(process: Process): Channel {
    const { clock, metrics } = this;
    const server = new MemoryEnd();
    const client = new MemoryEnd();
    server.other = client;
    client.other = server;
    process.channels.push({ server, client });
    // A real client listens as soon as it has the channel; here the server is started a moment later.
    queueMicrotask(() =>
      queueMicrotask(() =>
        serveConnection(server, {
          clusterId: 'vci_test',
          cluster: () => process.port,
          members: () => this.members,
          regionOf: (url) => this.regions?.[url],
          isMember: this.isMember,
          memory: process.memory,
          clock,
          metrics,
          log: silentLog,
        }),
      ),
    );
    return client;
  }
}

const created = (name: string) => ({
  error: 'NONE' as const,
  message: null,
  topic: { topicId: `id-of-${name}`, name, partitionCount: 1, configs: {}, createdMs: 5 },
});

test('a call reaches the port and its answer is returned', async () => {
  const world = new World();
  const received: unknown[] = [];
  world.process('http://a/', {
    ...portOf({
      async createTopics(topics, options) {
        received.push(topics, options);
        return topics.map(({ name }) => created(name));
      },
      async leave() {},
    }),
  });
  const client = world.connect('http://a');
  const topic = { name: 't', partitionCount: -1, configs: { $odd: 'x' } };
  assert.deepEqual(await client.createTopics([topic], { validateOnly: false }), [created('t')]);
  assert.deepEqual(received, [[topic], { validateOnly: false }]);
  assert.equal(await client.leave('agent'), undefined);
  client.close();
  await settle();
  assert.equal(world.clock.waiting, 0, 'nothing runs after close');
});

test('a lost answer is sent again, and the call is executed once', async () => {
  const world = new World();
  let executions = 0;
  const process = world.process(
    'http://a/',
    portOf({
      async createTopics(topics) {
        executions++;
        return topics.map(({ name }) =>
          executions === 1
            ? created(name)
            : { error: 'TOPIC_ALREADY_EXISTS', message: 'it exists', topic: undefined },
        );
      },
    }),
  );
  const client = world.connect('http://a');
  await settle();
  process.channels[0]!.server.isDeaf = true;
  const result = client.createTopics([{ name: 't', partitionCount: 1, configs: {} }], {
    validateOnly: false,
  });
  await settle();
  assert.equal(executions, 1);
  process.channels[0]!.server.abort();
  await world.clock.pass(1_000);
  assert.deepEqual(await result, [created('t')]);
  assert.equal(process.channels.length, 2);
  assert.equal(executions, 1);
  client.close();
});

test('a call that is repeated while it is in flight is executed once', async () => {
  const world = new World();
  let executions = 0;
  let finish = (_first: number) => {};
  const process = world.process(
    'http://a/',
    portOf({
      allocateProducerIds() {
        executions++;
        return new Promise<number>((resolve) => {
          finish = resolve;
        });
      },
    }),
  );
  const client = world.connect('http://a');
  const first = client.allocateProducerIds(10);
  await settle();
  process.channels[0]!.client.abort();
  await world.clock.pass(1_000);
  assert.equal(process.channels.length, 2);
  finish(1000);
  assert.equal(await first, 1000);
  assert.equal(executions, 1);
  client.close();
});

test('confirmed answers are dropped', async () => {
  const world = new World();
  const process = world.process('http://a/', portOf({ allocateProducerIds: async () => 1 }));
  const client = world.connect('http://a');
  for (let call = 0; call < 1000; call++) await client.allocateProducerIds(1);
  const [hello] = process.channels[0]!.client.sent;
  const { clientId } = hello!.body as ClientHello;
  const session = process.memory.open('vci_test', clientId);
  assert.equal(session.size, 1000 % 64);
  await world.clock.pass(5_000);
  assert.equal(session.size, 0);
  client.close();
});

test('pings are omitted while calls are answered, but for one a minute, and a silent process is left as soon', async () => {
  const world = new World();
  const a = world.process('http://a/', portOf({ allocateProducerIds: async () => 1 }));
  const client = world.connect('http://a');
  await settle();
  const { client: ours, server: theirs } = a.channels[0]!;
  const pings = () => ours.sent.filter(({ kind }) => kind === 'ping').length;
  for (let second = 0; second < 120; second += 4) {
    await client.allocateProducerIds(1);
    await world.clock.pass(4_000);
  }
  assert.equal(pings(), 2);
  await world.clock.pass(20_000);
  assert.equal(pings(), 6, 'without calls one every five seconds');

  await client.allocateProducerIds(1);
  await world.clock.pass(1_000);
  theirs.isDeaf = true;
  const call = client.allocateProducerIds(1);
  await world.clock.pass(8_000);
  assert.equal(await call, 1);
  assert.equal(a.channels.length, 2);
  client.close();
});

test('a new member is announced with the next answer', async () => {
  const world = new World();
  const a = world.process('http://a/', portOf({ allocateProducerIds: async () => 1 }));
  const b = world.process('http://b/', portOf({ allocateProducerIds: async () => 2 }));
  world.members = ['http://a'];
  const client = world.connect('http://a');
  await client.allocateProducerIds(1);
  world.members = ['http://a', 'http://b'];
  await client.allocateProducerIds(1);
  const pongs = () => a.channels[0]!.server.sent.filter(({ kind }) => kind === 'pong').length;
  assert.equal(pongs(), 1);
  world.members = ['http://a', 'http://b'];
  await client.allocateProducerIds(1);
  assert.equal(pongs(), 1, 'and only once');
  a.isDown = true;
  a.channels[0]!.client.abort();
  const call = client.allocateProducerIds(1);
  await world.clock.pass(2_000);
  assert.equal(await call, 2);
  assert.equal(b.channels.length, 1);
  client.close();
});

test('calls are sent again in order, and each is executed once', async () => {
  const world = new World();
  const order: number[] = [];
  const process = world.process(
    'http://a/',
    portOf({
      async allocateProducerIds(count) {
        order.push(count);
        return count;
      },
    }),
  );
  const client = world.connect('http://a');
  await settle();
  const calls: Promise<number>[] = [];
  for (let count = 1; count <= 600; count++) {
    calls.push(client.allocateProducerIds(count));
    if (count % 150 === 0) {
      await settle();
      const { server, client: mine } = process.channels.at(-1)!;
      if (count % 300 === 0) server.isDeaf = true;
      else mine.isDeaf = true;
    }
    if (count % 200 === 0) {
      process.channels.at(-1)!.server.abort();
      await world.clock.pass(1_000);
    }
  }
  await world.clock.pass(20_000);
  const counts = Array.from({ length: 600 }, (_, index) => index + 1);
  assert.deepEqual(await Promise.all(calls), counts);
  assert.deepEqual(order, counts);
  client.close();
});

test('no more calls are in flight than the control plane allows', async () => {
  const world = new World();
  let running = 0;
  let most = 0;
  world.process(
    'http://a/',
    portOf({
      async findBatches() {
        most = Math.max(most, ++running);
        await settle();
        running--;
        return [];
      },
    }),
  );
  const client = world.connect('http://a');
  await Promise.all(Array.from({ length: 1000 }, () => client.findBatches([])));
  assert.equal(most, rpcLimits.rpcRunningCallsMax);
  client.close();
});

test('failures say what to do', async () => {
  const world = new World();
  const port = (error: Error) => portOf({ leave: () => Promise.reject(error) });
  const process = world.process('http://a/', port(new ClusterUnavailable('the journal is away')));
  const client = world.connect('http://a');
  await assert.rejects(client.leave('x'), { name: 'ClusterUnavailable', message: 'the journal is away' });
  process.port = port(new Error('a defect'));
  await assert.rejects(
    client.leave('x'),
    (error) => error instanceof CallRefused && error.kind === 'internal',
  );
  const wrong = 5 as unknown as string;
  await assert.rejects(client.leave(wrong), { name: 'CallRefused', message: 'leave[0]: not a text' });
  const nan = { agentId: 'a', cpuLoad: Number.NaN } as Parameters<ClusterPort['heartbeat']>[0];
  await assert.rejects(client.heartbeat(nan), { name: 'TypeError', message: 'NaN cannot be sent' });
  client.close();
  await assert.rejects(client.leave('x'), { name: 'ClusterUnavailable' });
});

test('a file whose columns do not match is refused with the name of the column', async () => {
  const world = new World();
  world.process('http://a/', portOf({ commitFiles: async () => [] }));
  const client = world.connect('http://a');
  const file = {
    fileId: '00',
    fileBytes: 1,
    topicIds: [],
    topic: new Uint32Array(2),
    partition: new Uint32Array(2),
    byteStart: new Uint32Array(2),
    byteLength: new Uint32Array(2),
    recordCount: new Uint32Array(2),
    maxTimestampMs: new Float64Array(2),
    producerId: new Float64Array(2),
    producerEpoch: new Int16Array(1),
    baseSequence: new Int32Array(2),
  };
  await assert.rejects(client.commitFiles([file]), {
    message: 'commitFiles[0].producerEpoch: 1 rows, but topic has 2 (entry 0)',
  });
  client.close();
});

/** A commit of one batch. */
const oneBatch = (fileId: string): FileCommit => ({
  fileId,
  fileBytes: 1,
  topicIds: ['t'],
  topic: new Uint32Array(1),
  partition: new Uint32Array(1),
  byteStart: new Uint32Array(1),
  byteLength: new Uint32Array(1),
  recordCount: new Uint32Array(1),
  maxTimestampMs: new Float64Array(1),
  producerId: new Float64Array(1),
  producerEpoch: new Int16Array(1),
  baseSequence: new Int32Array(1),
});

/** A process that records the files of commits, and answers as soon as it may. */
function committing(world: World, mayAnswer: Promise<void> = Promise.resolve()) {
  const commits: string[][] = [];
  const process = world.process(
    'http://a/',
    portOf({
      async commitFiles(files) {
        commits.push(filesToSend(files).map(({ fileId }) => fileId));
        await mayAnswer;
        return [];
      },
    }),
  );
  return { process, commits };
}

test('late files are requested when the commit is sent, and repeated unchanged', async () => {
  const world = new World();
  const mayAnswer = Promise.withResolvers<void>();
  const { process, commits } = committing(world, mayAnswer.promise);
  process.isDown = true;
  const client = world.connect('http://a');
  let wanted = 'early';
  let fileRequests = 0;
  const answer = client.commitFiles(() => {
    fileRequests++;
    return [oneBatch(wanted)];
  });
  await world.clock.pass(3_000);
  assert.equal(fileRequests, 0);
  wanted = 'in time';
  process.isDown = false;
  await world.clock.pass(10_000, () => commits.length > 0);
  wanted = 'too late';
  process.channels[0]!.client.abort();
  await world.clock.pass(10_000, () => process.channels.length > 1);
  mayAnswer.resolve();
  await answer;
  assert.deepEqual([fileRequests, commits], [1, [['in time']]]);
  const [first, again] = process.channels.map(({ client: end }) =>
    end.sent.filter(({ kind }) => kind === 'call'),
  );
  assert.deepEqual([again, again!.length], [first, 1]);
  client.close();
});

test('a commit without remaining files is not sent, and makes room for the next call', async () => {
  const world = new World();
  const { process, commits } = committing(world);
  process.isDown = true;
  const client = world.connect('http://a');
  const nothing = client.commitFiles(() => []);
  const something = client.commitFiles(() => [oneBatch('a')]);
  await settle();
  process.isDown = false;
  await world.clock.pass(1_000);
  assert.deepEqual([await nothing, await something], [[], []]);
  assert.deepEqual(commits, [['a']]);
  client.close();
  await settle();
  assert.equal(world.clock.waiting, 0);
});

test('late files of a commit that fails before it is sent are never requested', async () => {
  const world = new World();
  const client = world.connect('http://nowhere');
  let fileRequests = 0;
  const files = () => {
    fileRequests++;
    return [oneBatch('a')];
  };
  const call = assert.rejects(client.commitFiles(files), { name: 'ClusterUnavailable' });
  await world.clock.pass(30_000);
  await call;
  const open = client.commitFiles(files);
  client.close();
  await assert.rejects(open, { name: 'ClusterUnavailable' });
  await assert.rejects(client.commitFiles(files), { name: 'ClusterUnavailable' });
  assert.equal(fileRequests, 0);
});

test('late files that are invalid or too large fail their own call', async () => {
  const world = new World();
  const { commits } = committing(world);
  const client = world.connect('http://a');
  const broken = client.commitFiles(() => [{ ...oneBatch('a'), fileBytes: Number.NaN }]);
  const large = client.commitFiles(() => [{ ...oneBatch('b'.repeat(rpcLimits.rpcCallBytesMax)) }]);
  const good = client.commitFiles(() => [oneBatch('c')]);
  await assert.rejects(broken, { message: 'NaN cannot be sent' });
  await assert.rejects(large, CallTooLarge);
  assert.deepEqual([await good, commits], [[], [['c']]]);
  client.close();
});

test('calls without a leader fail after some seconds, whatever their deadlines', async () => {
  const world = new World();
  const client = world.connect('http://nowhere');
  const ends: string[] = [];
  const watch = (what: string, call: Promise<unknown>) =>
    call.catch((error: Error) => {
      assert.equal(error.name, 'ClusterUnavailable');
      ends.push(what);
    });
  void watch('working', client.findOffsets([]));
  void watch('waiting', client.joinGroup(join));
  await world.clock.pass(3_900);
  assert.deepEqual(ends, []);
  await world.clock.pass(600);
  assert.deepEqual(ends, ['waiting']);
  // While no leader has been missing for that long, a later call has the same time.
  void watch('early', client.findOffsets([]));
  await world.clock.pass(2_400);
  assert.deepEqual(ends, ['waiting']);
  await world.clock.pass(600);
  assert.deepEqual(ends, ['waiting', 'working']);
  // A call that begins after that waits for a moment: what was queued behind an earlier one does not wait twice.
  void watch('late join', client.joinGroup(join));
  void watch('late', client.findOffsets([]));
  await world.clock.pass(900);
  assert.deepEqual(ends, ['waiting', 'working']);
  await world.clock.pass(1_100);
  assert.deepEqual(ends, ['waiting', 'working', 'late join', 'late']);
  await world.clock.pass(4_000);
  assert.deepEqual(ends, ['waiting', 'working', 'late join', 'late', 'early']);
  await world.clock.pass(15_000);
  // Full jitter over at most 5 s, after a quick start.
  assert.ok(world.dialled.length > 6 && world.dialled.length < 60, `${world.dialled.length} attempts`);
  client.close();
});

test('calls of a leader that stands still fail before its connection is given up for good', async () => {
  const world = new World();
  const leader = world.process('http://a/', {
    ...portOf({
      joinGroup: () => new Promise(() => {}),
      allocateProducerIds: () => new Promise(() => {}),
      groupHeartbeats: async () => [],
    }),
  });
  const client = world.connect('http://a/');
  await client.groupHeartbeats([]);
  const ends: string[] = [];
  for (const [what, call] of [
    ['join', client.joinGroup(join)],
    ['command', client.allocateProducerIds(1)],
  ] as const) {
    call.catch((error: Error) => ends.push(`${what} ${error.name}`));
  }
  // The leader lives: both wait, the join for as long as a rebalance takes.
  await world.clock.pass(20_000);
  assert.deepEqual(ends, []);
  leader.isDown = true;
  leader.channels[0]!.server.isDeaf = true;
  await world.clock.pass(5_000);
  assert.deepEqual(ends, ['join ClusterUnavailable']);
  await world.clock.pass(4_000);
  assert.deepEqual(ends, ['join ClusterUnavailable', 'command ClusterUnavailable']);
  client.close();
});

test('a standby is no leader: calls that wait there are given up, too', async () => {
  const world = new World();
  const standby = world.process('http://a/', portOf({ groupHeartbeats: async () => [] }));
  standby.port = undefined;
  const client = world.connect('http://a/');
  let failed = 0;
  client.joinGroup(join).catch(() => failed++);
  await world.clock.pass(4_600);
  assert.equal(failed, 1);
  client.close();
});

test('calls beyond the limit of pending calls are refused', async () => {
  const client = new World().connect('http://nowhere');
  const calls = Array.from({ length: rpcLimits.rpcPendingCallsMax }, () => client.findOffsets([]));
  await assert.rejects(client.findOffsets([]), {
    message: 'too many calls to the control plane in flight: 4096',
  });
  client.close();
  assert.ok((await Promise.allSettled(calls)).every(({ status }) => status === 'rejected'));
});

class NotLeader extends ClusterUnavailable {
  readonly leaderUrl: string | undefined;
  constructor(leaderUrl: string | undefined) {
    super('this process does not lead the cluster');
    this.leaderUrl = leaderUrl;
  }
}

test('the client goes to the leader, also to an unknown address', async () => {
  const world = new World();
  world.process(
    'http://a/',
    portOf({ allocateProducerIds: () => Promise.reject(new NotLeader('http://b')) }),
  );
  world.process('http://b/', portOf({ allocateProducerIds: async () => 7 }));
  const client = world.connect('http://a');
  assert.equal(await client.allocateProducerIds(1), 7);
  assert.deepEqual(world.dialled, ['http://a/', 'http://b/']);
  client.close();
});

test('without a known leader the client tries all addresses until there is one', async () => {
  const world = new World();
  const leaderless = portOf({ allocateProducerIds: () => Promise.reject(new NotLeader(undefined)) });
  world.process('http://a/', leaderless);
  const b = world.process('http://b/', leaderless);
  const client = world.connect('http://a', 'http://b');
  const call = client.allocateProducerIds(1);
  await world.clock.pass(5_000);
  assert.ok(world.dialled.length < 60, `${world.dialled.length} attempts`);
  b.port = portOf({ allocateProducerIds: async () => 8 });
  await world.clock.pass(15_000);
  assert.equal(await call, 8);
  client.close();
});

test('a commit that its only process did not execute fails, so that its files can be chosen again', async () => {
  const world = new World();
  world.process('http://a/', portOf({ commitFiles: () => Promise.reject(new NotLeader('http://b')) }));
  world.process('http://b/', portOf({ commitFiles: async () => [] }));
  const client = world.connect('http://a');
  await assert.rejects(
    client.commitFiles(() => [oneBatch('a')]),
    CallNotDone,
  );
  assert.deepEqual(await client.commitFiles(() => [oneBatch('b')]), []);
  assert.deepEqual(world.dialled, ['http://a/', 'http://b/']);
  client.close();
});

test('a commit whose connection was lost is in doubt, and stays pending when another process refuses it', async () => {
  const world = new World();
  const started = Promise.withResolvers<void>();
  const a = world.process(
    'http://a/',
    portOf({
      commitFiles: () => {
        started.resolve();
        return new Promise<never>(() => {});
      },
    }),
  );
  const seen: string[][] = [];
  const b = world.process(
    'http://b/',
    portOf({ commitFiles: () => Promise.reject(new NotLeader(undefined)) }),
  );
  const client = world.connect('http://a', 'http://b');
  let fileRequests = 0;
  const call = client.commitFiles(() => {
    fileRequests++;
    return [oneBatch('a')];
  });
  await started.promise;
  a.isDown = true;
  a.channels[0]!.client.abort();
  await world.clock.pass(3_000);
  b.port = portOf({
    commitFiles: async (files) => {
      seen.push(filesToSend(files).map(({ fileId }) => fileId));
      return [];
    },
  });
  await world.clock.pass(10_000);
  assert.deepEqual(await call, []);
  assert.deepEqual([fileRequests, seen], [1, [['a']]]);
  client.close();
});

test('the files of a commit are chosen when the process is known to lead', async () => {
  const world = new World();
  const { served } = standby(undefined);
  const commits: string[][] = [];
  const followers: ClusterFollower[] = [];
  world.process('http://a/', {
    ...served,
    follow: (follower) => {
      followers.push(follower);
      return () => {};
    },
    commitFiles: async (files) => {
      commits.push(filesToSend(files).map(({ fileId }) => fileId));
      return [];
    },
  });
  const client = world.connect('http://a');
  client.follow({ onSnapshot() {}, onChanges() {} });
  let wanted = 'early';
  const call = client.commitFiles(() => [oneBatch(wanted)]);
  await world.clock.pass(1_000);
  assert.equal(followers.length, 1);
  wanted = 'in time';
  followers[0]!.onSnapshot({ agents: [] } as unknown as ClusterSnapshot);
  await call;
  assert.deepEqual(commits, [['in time']]);
  client.close();
});

/** A standby that knows a leader or none, and may become one. */
function standby(leaderUrl: string | undefined) {
  const listeners = new Set<() => void>();
  const renewals = new Set<() => void>();
  const served: ServedCluster & {
    leaderUrl: string | undefined;
    leads: boolean;
    notify: () => void;
    renewed: () => void;
  } = {
    ...portOf({
      allocateProducerIds: async (count) => {
        if (!served.leads) throw new NotLeader(served.leaderUrl);
        return count;
      },
    }),
    onLeader(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onLeaderRenewed(listener) {
      renewals.add(listener);
      return () => renewals.delete(listener);
    },
    leaderUrl,
    leads: false,
    notify() {
      for (const listener of [...listeners]) listener();
    },
    renewed() {
      for (const listener of [...renewals]) listener();
    },
  };
  return { served, listeners, renewals };
}

test('when the leader is dead, calls wait at a standby and are executed as soon as it leads', async () => {
  const world = new World();
  const { served, listeners } = standby('http://dead');
  world.process('http://a/', served);
  const client = world.connect('http://a');
  const calls = [1, 2, 3].map((count) => client.allocateProducerIds(count));
  await world.clock.pass(3_000);
  // To the standby, to the leader that it reported, and back; there the calls wait.
  assert.deepEqual(world.dialled, ['http://a/', 'http://dead/', 'http://a/']);
  served.leads = true;
  served.notify();
  assert.deepEqual(await Promise.all(calls), [1, 2, 3]);
  assert.equal(listeners.size, 0, 'no listener is left');
  client.close();
});

/** A leader at `http://a/` that stops answering while a call waits, and a standby. */
async function silentLeader(world: World) {
  let wake = () => {};
  let isAwake = Promise.resolve();
  const leader = world.process('http://a/', portOf({ allocateProducerIds: () => isAwake.then(() => 7) }));
  const waiting = standby('http://a');
  world.process('http://b/', waiting.served);
  const client = world.connect('http://a', 'http://b');
  assert.equal(await client.allocateProducerIds(1), 7);
  isAwake = new Promise((resolve) => {
    wake = resolve;
  });
  leader.channels[0]!.server.isDeaf = true;
  // Once it is awake it answers over new connections.
  return { ...waiting, client, leader, wake };
}

test('calls of a silent leader go to a standby within three seconds, and are executed as soon as it leads', async () => {
  const world = new World();
  const { client, served, listeners, renewals } = await silentLeader(world);
  const call = client.allocateProducerIds(1);
  await world.clock.pass(3_000);
  assert.deepEqual(world.dialled, ['http://a/', 'http://b/']);
  assert.equal(listeners.size, 1, 'the call waits');
  served.leads = true;
  served.notify();
  assert.equal(await call, 1);
  assert.deepEqual([listeners.size, renewals.size], [0, 0], 'no listener is left');
  assert.deepEqual(world.dialled, ['http://a/', 'http://b/']);
  client.close();
});

test('calls of a leader that was silent go back to it when it has renewed its lease', async () => {
  const world = new World();
  const { client, served, renewals, wake } = await silentLeader(world);
  const call = client.allocateProducerIds(1);
  await world.clock.pass(3_000);
  assert.equal(renewals.size, 1, 'the call waits');
  wake();
  served.renewed();
  assert.equal(await world.clock.until(call), 7);
  assert.deepEqual(world.dialled, ['http://a/', 'http://b/', 'http://a/']);
  assert.equal(renewals.size, 0, 'no listener is left');
  client.close();
});

test('a process is not left while it answers pings, receives no call, or is the only one', async () => {
  const world = new World();
  const { client, leader } = await silentLeader(world);
  const [{ server, client: ours }] = leader.channels as [(typeof leader.channels)[0]];
  // Pongs arrive, and the call is not answered, as when the database of the leader hangs.
  server.isDeaf = false;
  const call = client.allocateProducerIds(1);
  call.catch(() => {});
  await world.clock.pass(20_000);
  assert.equal(leader.channels.length, 1);
  // A large frame that takes long to arrive.
  server.isDeaf = true;
  for (let second = 0; second < 20; second++) {
    ours.received += 1_000;
    await world.clock.pass(1_000);
  }
  assert.equal(leader.channels.length, 1);
  client.close();

  const idle = new World();
  const { client: quiet, leader: unheard } = await silentLeader(idle);
  await idle.clock.pass(5_500);
  assert.equal(unheard.channels.length, 1, 'a call is awaited before the silence counts');
  quiet.close();

  const alone = new World();
  const only = alone.process('http://a/', portOf({ allocateProducerIds: async () => 1 }));
  const lonely = alone.connect('http://a');
  await settle();
  only.channels[0]!.server.isDeaf = true;
  const late = lonely.allocateProducerIds(1);
  await alone.clock.pass(5_500);
  assert.equal(only.channels.length, 1);
  assert.equal(await alone.clock.until(late), 1);
  lonely.close();
});

test('calls that wait at a standby go to the leader that it learns of', async () => {
  const world = new World();
  const { served } = standby('http://dead');
  world.process('http://a/', served);
  world.process('http://c/', portOf({ allocateProducerIds: async () => 9 }));
  const client = world.connect('http://a');
  const call = client.allocateProducerIds(1);
  await world.clock.pass(2_000);
  served.leaderUrl = 'http://c';
  served.notify();
  await world.clock.pass(1_000);
  assert.equal(await call, 9);
  client.close();
});

test('calls do not wait for a leader that was unreachable long ago', async () => {
  const world = new World();
  const { served } = standby('http://b');
  served.leads = true;
  world.process('http://a/', served);
  const other = world.process('http://b/', portOf({ allocateProducerIds: async () => 8 }));
  other.isDown = true;
  const client = world.connect('http://b', 'http://a');
  assert.equal(await world.clock.until(client.allocateProducerIds(3)), 3);
  await world.clock.pass(20_000);
  other.isDown = false;
  served.leads = false;
  const startMs = world.clock.nowMs();
  assert.equal(await world.clock.until(client.allocateProducerIds(3)), 8);
  assert.equal(world.clock.nowMs(), startMs, 'no time passes');
  client.close();
});

test('calls do not wait at a standby for a reachable leader', async () => {
  const world = new World();
  const { served } = standby('http://b');
  world.process('http://a/', served);
  world.process('http://b/', portOf({ allocateProducerIds: async () => 4 }));
  const client = world.connect('http://a');
  await settle();
  const startMs = world.clock.nowMs();
  assert.equal(await client.allocateProducerIds(1), 4);
  assert.equal(world.clock.nowMs(), startMs);
  client.close();
});

test('a stopping standby releases its waiting calls', async () => {
  const world = new World();
  const { served, listeners } = standby(undefined);
  const process = world.process('http://a/', served);
  world.process('http://b/', portOf({ allocateProducerIds: async () => 6 }));
  const client = world.connect('http://a', 'http://b');
  const call = client.allocateProducerIds(1);
  await settle();
  assert.equal(listeners.size, 1);
  process.isDown = true;
  process.channels[0]!.server.abort();
  await world.clock.pass(1_000);
  assert.equal(await call, 6);
  assert.equal(listeners.size, 0);
  client.close();
});

test('a deduplicated call carries a unique request id, and retains it when it is repeated', async () => {
  const world = new World();
  const requestIds: string[] = [];
  let isFirst = true;
  const served: ServedCluster = {
    ...portOf({}),
    forRequest(requestId) {
      requestIds.push(requestId);
      return portOf({
        async createTopics(topics) {
          // Another process may lead by now, and knows only the state of the cluster.
          if (isFirst) await new Promise(() => {});
          return topics.map(({ name }) => created(name));
        },
      });
    },
  };
  const a = world.process('http://a/', served);
  world.process('http://b/', served);
  const client = world.connect('http://a', 'http://b');
  const topics = [{ name: 't', partitionCount: 1, configs: {} }];
  const first = client.createTopics(topics, { validateOnly: false });
  await settle();
  isFirst = false;
  a.isDown = true;
  a.channels[0]!.server.abort();
  await world.clock.pass(1_000);
  assert.deepEqual(await first, [created('t')]);
  await client.createTopics(topics, { validateOnly: false });
  assert.equal(requestIds.length, 3);
  assert.equal(requestIds[0], requestIds[1]);
  assert.notEqual(requestIds[0], requestIds[2]);
  assert.match(requestIds[0]!, /^[0-9a-f]{32}:1$/);
  client.close();
});

test('two processes that redirect to each other do not make the client loop', async () => {
  const world = new World();
  world.process(
    'http://a/',
    portOf({ allocateProducerIds: () => Promise.reject(new NotLeader('http://b')) }),
  );
  world.process(
    'http://b/',
    portOf({ allocateProducerIds: () => Promise.reject(new NotLeader('http://a')) }),
  );
  const client = world.connect('http://a', 'http://b');
  const call = assert.rejects(client.allocateProducerIds(1), { name: 'ClusterUnavailable' });
  for (let turn = 0; turn < 100; turn++) await settle();
  assert.ok(world.dialled.length <= 3, `${world.dialled.length} attempts before any time has passed`);
  await world.clock.pass(30_000);
  await call;
  // Pauses are short for the first seconds, and each is followed by an attempt at both.
  assert.ok(world.dialled.length < 250, `${world.dialled.length} attempts`);
  client.close();
});

test('the client survives the death of a process with the addresses from hello', async () => {
  const world = new World();
  world.members = ['http://a', 'http://b', 'not an address'];
  const a = world.process('http://a/', portOf({ allocateProducerIds: async () => 1 }));
  world.process('http://b/', portOf({ allocateProducerIds: async () => 2 }));
  const client = world.connect('http://a');
  assert.equal(await client.allocateProducerIds(1), 1);
  a.isDown = true;
  a.channels[0]!.server.abort();
  await world.clock.pass(1_000);
  assert.equal(await client.allocateProducerIds(1), 2);
  client.close();
});

test('an agent with https addresses does not send its key to http addresses', async () => {
  const world = new World();
  world.members = ['http://b'];
  const a = world.process('https://a/', portOf({ leave: () => Promise.reject(new NotLeader('http://b')) }));
  world.process('http://b/', portOf({}));
  const client = world.connect('https://a');
  const call = assert.rejects(client.leave('x'));
  await world.clock.pass(10_000);
  await call;
  a.isDown = true;
  await world.clock.pass(10_000);
  assert.deepEqual([...new Set(world.dialled)], ['https://a/']);
  client.close();
});

test('a silent control plane is left, and a silent agent is disconnected', async () => {
  const world = new World();
  const a = world.process('http://a/', portOf({ allocateProducerIds: async () => 1 }));
  const client = world.connect('http://a');
  await settle();
  a.channels[0]!.server.isDeaf = true;
  const call = client.allocateProducerIds(1);
  await world.clock.pass(10_000);
  assert.equal(await call, 1);
  assert.equal(a.channels.length, 2);
  client.close();

  const other = new World();
  const b = other.process('http://b/', portOf({}));
  const silent = other.connect('http://b');
  await settle();
  b.channels[0]!.client.isDeaf = true;
  b.isDown = true;
  silent.close();
  await other.clock.pass(60_000);
  assert.equal(other.clock.waiting, 0, 'the server watches no client any more');
});

test('a refused key fails calls at once; a new one is used within a second', async () => {
  const world = new World();
  const process = world.process('http://a/', portOf({ allocateProducerIds: async () => 1 }));
  world.key = 'aks_bad';
  const client = world.connect('http://a');
  await assert.rejects(client.allocateProducerIds(1), { name: 'AgentKeyRefused', message: 'http://a/: 401' });
  await world.clock.pass(29_000);
  await assert.rejects(client.allocateProducerIds(1), { name: 'AgentKeyRefused' });
  assert.equal(world.dialled.length, 1);
  await world.clock.pass(2_000);
  assert.equal(world.dialled.length, 2, 'the key may have become valid');
  assert.deepEqual(world.refusedKeys, ['aks_bad', 'aks_bad'], 'each refusal is reported');
  world.key = 'aks_good';
  await world.clock.pass(1_000);
  assert.equal(await client.allocateProducerIds(1), 1);
  assert.equal(process.channels.length, 1);
  client.close();
});

test('a connection to another region uses the key of that region', async () => {
  const world = new World();
  world.members = ['http://a', 'http://b', 'http://c'];
  world.regions = { 'http://a': 'east', 'http://b': 'west' };
  world.keyAt = ({ region }) => `aks_${region}`;
  const a = world.process('http://a/', portOf({ allocateProducerIds: async () => 1 }));
  const b = world.process('http://b/', portOf({ allocateProducerIds: async () => 2 }));
  // The region of an address that the agent was given is known only from processes.
  a.keys = ['aks_undefined', 'aks_east'];
  b.keys = ['aks_west'];
  const client = world.connect('http://a');
  assert.equal(await client.allocateProducerIds(1), 1);
  assert.deepEqual(world.reportedRegions, ['east west']);
  a.isDown = true;
  a.channels[0]!.server.abort();
  await world.clock.pass(1_000);
  assert.equal(await client.allocateProducerIds(1), 2);
  a.isDown = false;
  b.isDown = true;
  b.channels[0]!.server.abort();
  a.keys = ['aks_east'];
  await world.clock.pass(2_000);
  assert.equal(await client.allocateProducerIds(1), 1, 'c, which is in no region, does not answer');
  assert.deepEqual(world.refusedKeys, []);
  client.close();
});

test('where the key of one region is refused, the one of another is tried, and each once', async () => {
  const world = new World();
  world.members = ['http://a', 'http://b'];
  world.regions = { 'http://a': 'east', 'http://b': 'west' };
  world.keyAt = ({ region }) => `aks_${region}`;
  const a = world.process('http://a/', portOf({ allocateProducerIds: async () => 1 }));
  const b = world.process('http://b/', portOf({}));
  a.keys = ['aks_undefined'];
  b.keys = [];
  const client = world.connect('http://a');
  assert.equal(await client.allocateProducerIds(1), 1);
  a.channels[0]!.server.close(endCodes.keyRefused, 'over');
  await world.clock.pass(20_000);
  const refused = ['aks_undefined', 'aks_east', 'aks_west'];
  assert.deepEqual(world.refusedKeys.toSorted(), refused.toSorted(), 'it is not offered again at once');
  await assert.rejects(client.allocateProducerIds(1), { name: 'AgentKeyRefused' });
  b.keys = ['aks_west'];
  a.keys = ['aks_east'];
  await world.clock.pass(31_000);
  assert.equal(
    world.refusedKeys.length,
    refused.length,
    'a key may become valid, and is tried after a pause',
  );
  client.close();
});

const snapshot = (nextOffset: number): ClusterSnapshot => ({
  clusterId: 'vci_test',
  clusterConfigs: {},
  topics: [{ topicId: 't', name: 't', partitionCount: 1, configs: {}, createdMs: 0 }],
  logStartOffset: Float64Array.of(0),
  nextOffset: Float64Array.of(nextOffset),
  lastStableOffset: Float64Array.of(nextOffset),
  agents: [],
  records: [],
});

/** A cluster with one partition that grows by one record at a time. */
class GrowingCluster {
  readonly followers = new Set<ClusterFollower>();
  nextOffset = 0;
  readonly port = portOf({
    follow: (follower) => {
      follower.onSnapshot(snapshot(this.nextOffset));
      this.followers.add(follower);
      return () => this.followers.delete(follower);
    },
  });

  append(bytes = 32): void {
    const changes: ClusterChange[] = [
      {
        kind: 'appended',
        topicId: 't',
        partition: 0,
        pointers: {
          fileId: ['f'.repeat(bytes)],
          byteStart: Float64Array.of(0),
          byteLength: Float64Array.of(1),
          baseOffset: Float64Array.of(this.nextOffset),
          nextOffset: Float64Array.of(++this.nextOffset),
        },
        lastStableOffset: this.nextOffset,
      },
    ];
    for (const follower of this.followers) follower.onChanges(changes);
  }
}

/** The state of a follower; fails if a change does not follow from the previous ones. */
class Tail implements ClusterFollower {
  nextOffset = -1;
  snapshots = 0;

  onSnapshot({ nextOffset }: ClusterSnapshot): void {
    this.snapshots++;
    this.nextOffset = nextOffset[0]!;
  }

  onChanges(changes: readonly ClusterChange[]): void {
    for (const change of changes) {
      assert.ok(change.kind === 'appended');
      assert.equal(change.pointers.baseOffset[0], this.nextOffset);
      this.nextOffset = change.pointers.nextOffset[0]!;
    }
  }
}

test('followers get a snapshot and every change after it, until they unsubscribe', async () => {
  const world = new World();
  const cluster = new GrowingCluster();
  world.process('http://a/', cluster.port);
  const client = world.connect('http://a');
  const [early, late] = [new Tail(), new Tail()];
  const end = client.follow(early);
  await settle();
  cluster.append();
  client.follow(late);
  cluster.append();
  await settle();
  assert.deepEqual([early.nextOffset, late.nextOffset], [2, 2]);
  end();
  await settle();
  cluster.append();
  await settle();
  assert.deepEqual([early.nextOffset, late.nextOffset], [2, 3]);
  assert.deepEqual([early.snapshots, late.snapshots, cluster.followers.size], [1, 1, 1]);
  client.close();
  await settle();
  assert.equal(cluster.followers.size, 0);
});

/** A process whose followers wait until it leads, like those of a cluster node. */
function followable(leaderUrl: string | undefined, nextOffset: number) {
  const { served, listeners } = standby(leaderUrl);
  const followers = new Followers(silentLog);
  return {
    listeners,
    served: Object.assign(served, {
      follow: (follower: ClusterFollower) => followers.add(follower),
      notLeader: () => (served.leads ? undefined : new NotLeader(served.leaderUrl)),
    }),
    lead() {
      served.leads = true;
      served.notify();
      followers.begin((deliver) => deliver(snapshot(nextOffset)));
    },
    standBy(leader: string | undefined) {
      followers.pause();
      served.leads = false;
      served.leaderUrl = leader;
      served.notify();
    },
  };
}

test('a follower that connects to a standby is redirected to the leader', async () => {
  const world = new World();
  const a = followable('http://b', 1);
  const b = followable(undefined, 2);
  b.lead();
  world.process('http://a/', a.served);
  world.process('http://b/', b.served);
  const client = world.connect('http://a');
  const tail = new Tail();
  client.follow(tail);
  await settle();
  assert.deepEqual(world.dialled, ['http://a/', 'http://b/']);
  assert.deepEqual([tail.nextOffset, tail.snapshots], [2, 1]);
  assert.equal(a.listeners.size, 0, 'the standby does not watch for clients that went on');
  client.close();
  await settle();
  assert.equal(b.listeners.size, 0);
});

test('a follower moves with the leadership', async () => {
  const world = new World();
  const a = followable(undefined, 1);
  const b = followable(undefined, 2);
  a.lead();
  world.process('http://a/', a.served);
  world.process('http://b/', b.served);
  const client = world.connect('http://a');
  const tail = new Tail();
  client.follow(tail);
  await settle();
  assert.equal(tail.nextOffset, 1);
  // The process does not know the new leader at once.
  a.standBy(undefined);
  await settle();
  assert.deepEqual(world.dialled, ['http://a/']);
  b.lead();
  a.standBy('http://b');
  await settle();
  assert.deepEqual(world.dialled, ['http://a/', 'http://b/']);
  assert.deepEqual([tail.nextOffset, tail.snapshots], [2, 2]);
  client.close();
});

test('a follower waits at a standby that is about to lead', async () => {
  const world = new World();
  const a = followable(undefined, 1);
  world.process('http://a/', a.served);
  const client = world.connect('http://a');
  const tail = new Tail();
  client.follow(tail);
  await world.clock.pass(4_000);
  assert.equal(tail.snapshots, 0);
  a.lead();
  await world.clock.pass(10_000);
  assert.deepEqual(world.dialled, ['http://a/']);
  assert.deepEqual([tail.nextOffset, tail.snapshots], [1, 1]);
  client.close();
});

test('a follower does not wait forever at a standby without a known leader', async () => {
  const world = new World();
  const a = followable(undefined, 1);
  const b = followable(undefined, 2);
  b.lead();
  world.process('http://a/', a.served);
  world.process('http://b/', b.served);
  const client = world.connect('http://a', 'http://b');
  const tail = new Tail();
  client.follow(tail);
  await world.clock.pass(10_000);
  assert.deepEqual(world.dialled, ['http://a/', 'http://b/']);
  assert.deepEqual([tail.nextOffset, tail.snapshots], [2, 1]);
  client.close();
});

/** A cluster that a client follows. */
async function followed() {
  const world = new World();
  const cluster = new GrowingCluster();
  const process = world.process('http://a/', cluster.port);
  const client = world.connect('http://a');
  const tail = new Tail();
  client.follow(tail);
  await settle();
  return { world, cluster, process, client, tail };
}

test('followers get another snapshot after a lost connection', async () => {
  const { world, cluster, process, client, tail } = await followed();
  cluster.append();
  await settle();
  process.channels[0]!.server.abort();
  cluster.append();
  await world.clock.pass(1_000);
  cluster.append();
  await settle();
  assert.deepEqual([tail.nextOffset, tail.snapshots, cluster.followers.size], [3, 2, 1]);
  client.close();
});

test('a slow follower loses changes, uses no more memory, and gets a snapshot when it has caught up', async () => {
  const { world, cluster, process, client, tail } = await followed();
  const { server } = process.channels[0]!;
  server.isStalled = true;
  for (let change = 0; change < 100; change++) cluster.append(1024 * 1024);
  assert.ok(
    server.unsentBytes() <= rpcLimits.rpcQueuedPushBytesMax + 1024,
    `${server.unsentBytes()} bytes wait`,
  );
  assert.equal(cluster.followers.size, 0);
  await world.clock.pass(200);
  assert.equal(cluster.followers.size, 0, 'still stalled');
  server.isStalled = false;
  server.flush();
  await world.clock.pass(200);
  cluster.append();
  await settle();
  assert.deepEqual([tail.nextOffset, tail.snapshots], [101, 2]);
  assert.match(world.metrics.render(), /^service_agent_rpc_followers_skipped_total 1$/m);
  client.close();
});

test('an agent that does not read its answers is disconnected', async () => {
  const world = new World();
  const big = new Float64Array(1024 * 1024);
  const empty = new Float64Array(0);
  const pointers = { fileId: [], byteStart: big, byteLength: empty, baseOffset: empty, nextOffset: empty };
  const process = world.process(
    'http://a/',
    portOf({ findOffsets: async () => [{ error: 'NONE', pointers }] }),
  );
  const client = world.connect('http://a');
  await settle();
  const { server } = process.channels[0]!;
  server.isStalled = true;
  const calls = Array.from({ length: 20 }, () => client.findOffsets([]));
  await settle();
  assert.ok(server.unsentBytes() < rpcLimits.rpcQueuedBytesMax + 9 * 1024 * 1024);
  await world.clock.pass(10_000);
  await Promise.all(calls);
  client.close();
});

test('invalid frames end the connection with a reason', async () => {
  const hello = (pending = new Float64Array(0)) =>
    encodeFrame('hello', 0, { release: 'v830', clientId: 'c', pending });
  const call = (id: number) => encodeFrame('call', id, { method: 'findOffsets', args: [[]] });
  const cases: [name: string, frames: Uint8Array[], reason: RegExp][] = [
    ['garbage', [new Uint8Array(20)], /unknown frame format 0/],
    ['call frame before hello', [call(1)], /call frame before hello/],
    ['hello twice', [hello(), hello()], /unexpected hello frame for the control plane/],
    ['an answer', [hello(), encodeFrame('result', 1, {})], /unexpected result frame for the control plane/],
    ['no method', [hello(), encodeFrame('call', 1, {})], /call.method: not a text/],
    [
      'confirmations of nothing',
      [hello(), encodeFrame('ping', 1)],
      /1 responses acknowledged that were not sent/,
    ],
    [
      'a subscription twice',
      [hello(), encodeFrame('follow', 1), encodeFrame('follow', 1)],
      /subscription 1 exists/,
    ],
    [
      'too much at a time',
      [hello(), ...Array.from({ length: 300 }, (_, id) => call(id))],
      /more than 256 concurrent calls/,
    ],
  ];
  for (const [name, frames, reason] of cases) {
    const clock = new HandClock();
    const server = new MemoryEnd();
    const client = new MemoryEnd();
    server.other = client;
    let ended: [code: number | undefined, reason: string] | undefined;
    client.listen({
      onFrame() {},
      onEnd: (code, why) => {
        ended = [code, why];
      },
    });
    const port = portOf({ findOffsets: () => new Promise(() => {}) });
    const memory = new ReplyMemory(clock);
    const options = {
      clusterId: 'vci_test',
      members: () => [],
      memory,
      clock,
      metrics: new Metrics(),
      log: silentLog,
    };
    serveConnection(server, { ...options, cluster: () => port });
    for (const frame of frames) server.deliver(frame);
    await settle();
    assert.equal(ended?.[0], 1002, name);
    assert.match(ended[1], reason);
    assert.equal(clock.waiting, 0, name);
  }
});

/** Connections to one process, of which the test is the client. */
function serverEnds(count: number, port: ClusterPort): MemoryEnd[] {
  const clock = new HandClock();
  const options = {
    clusterId: 'vci_test',
    cluster: () => port,
    members: () => [],
    memory: new ReplyMemory(clock),
    clock,
    metrics: new Metrics(),
    log: silentLog,
  };
  return Array.from({ length: count }, () => {
    const server = new MemoryEnd();
    server.other = new MemoryEnd();
    server.other.listen({ onFrame() {}, onEnd() {} });
    serveConnection(server, options);
    return server;
  });
}

const helloFrame = (...pending: number[]) =>
  encodeFrame('hello', 0, { release: 'v830', clientId: 'c', pending: Float64Array.from(pending) });
const idsFrame = (callId: number, count: number) =>
  encodeFrame('call', callId, { method: 'allocateProducerIds', args: [count] });

test('a newer connection of the same client ends the older one, whose late frames are ignored', async () => {
  let executions = 0;
  const port = portOf({
    async allocateProducerIds() {
      return ++executions;
    },
  });
  const [older, newer] = serverEnds(2, port) as [MemoryEnd, MemoryEnd];
  older.deliver(helloFrame(1));
  newer.deliver(helloFrame(1));
  newer.deliver(idsFrame(1, 1));
  await settle();
  newer.deliver(encodeFrame('ping', 1));
  older.deliver(idsFrame(1, 1));
  await settle();
  assert.equal(executions, 1);
});

test('calls after one that found no leader are not executed before it, even if there is a leader now', async () => {
  const order: number[] = [];
  let isLeader = false;
  const port = portOf({
    async allocateProducerIds(count) {
      if (!isLeader) throw new NotLeader(undefined);
      order.push(count);
      return count;
    },
  });
  const [first, second] = serverEnds(2, port) as [MemoryEnd, MemoryEnd];
  first.deliver(helloFrame());
  first.deliver(idsFrame(1, 1));
  await settle();
  isLeader = true;
  first.deliver(idsFrame(2, 2));
  await settle();
  second.deliver(helloFrame(1, 2));
  second.deliver(idsFrame(1, 1));
  second.deliver(idsFrame(2, 2));
  await settle();
  assert.deepEqual(order, [1, 2]);
});

test('a follower that falls behind while it is being added is stopped too', async () => {
  let stops = 0;
  const appended = new GrowingCluster();
  const port = portOf({
    follow(follower) {
      follower.onSnapshot(snapshot(0));
      appended.followers.add(follower);
      for (let change = 0; change < 20; change++) appended.append(1024 * 1024);
      return () => stops++;
    },
  });
  const [server] = serverEnds(1, port) as [MemoryEnd];
  server.deliver(helloFrame());
  server.isStalled = true;
  server.deliver(encodeFrame('follow', 1));
  assert.equal(stops, 1);
  assert.equal(server.sent.filter(({ kind }) => kind === 'changes').length, 15);
});

const join = {
  groupId: 'g',
  memberId: '',
  groupInstanceId: null,
  clientId: 'c',
  clientHost: '/127.0.0.1',
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 60_000,
  protocolType: 'consumer',
  protocols: [{ name: 'range', metadata: Uint8Array.of(1, 2) }],
  requiresKnownMemberId: true,
  supportsSkipAssignment: true,
  reason: null,
};

const joined = (memberId: string) => ({
  error: 'NONE' as const,
  generationId: 1,
  protocolType: 'consumer',
  protocolName: 'range',
  leader: memberId,
  skipAssignment: false,
  memberId,
  members: [{ memberId, groupInstanceId: null, metadata: Uint8Array.of(3) }],
});

test('long-polling calls do not use the slots of other calls', async () => {
  const world = new World();
  const waiting: (() => void)[] = [];
  const waits = rpcLimits.rpcRunningCallsMax + 50;
  world.process('http://a/', {
    ...portOf({
      joinGroup: ({ clientId }) => new Promise((resolve) => waiting.push(() => resolve(joined(clientId)))),
      groupHeartbeats: async (heartbeats) => heartbeats.map(() => 'NONE' as const),
    }),
  });
  const client = world.connect('http://a/');
  const joins = Array.from({ length: waits }, (_, number) =>
    client.joinGroup({ ...join, clientId: `${number}` }),
  );
  await settle();
  assert.equal(waiting.length, waits);
  const beat = { groupId: 'g', generationId: 1, memberId: 'm', groupInstanceId: null };
  assert.deepEqual(await client.groupHeartbeats([beat]), ['NONE']);
  // Much longer than any other call may take.
  await world.clock.pass(600_000);
  for (const answer of waiting) answer();
  const answers = await Promise.all(joins);
  assert.deepEqual(answers[7], joined('7'));
  client.close();
});

test('a long-polling call resumes after connection lost, and is not executed twice', async () => {
  const world = new World();
  const waiting: (() => void)[] = [];
  const process = world.process('http://a/', {
    ...portOf({
      joinGroup: () => new Promise((resolve) => waiting.push(() => resolve(joined('m')))),
      groupHeartbeats: async () => [],
    }),
  });
  const client = world.connect('http://a/');
  const answer = client.joinGroup(join);
  await settle();
  process.channels[0]!.server.abort();
  await world.clock.pass(2_000);
  assert.equal(process.channels.length, 2);
  await client.groupHeartbeats([]);
  await world.clock.pass(60_000);
  assert.equal(waiting.length, 1);
  waiting[0]!();
  assert.deepEqual(await answer, joined('m'));
  client.close();
});

test('the cluster learns the agent of a connection, and when and how the connection ended', async () => {
  const world = new World();
  const events: string[] = [];
  const connections: object[] = [];
  const served: ServedCluster = {
    ...portOf({ heartbeat: async () => [], allocateProducerIds: async () => 1 }),
    agentConnected(agentId, connection) {
      if (!connections.includes(connection)) connections.push(connection);
      events.push(`${agentId} has ${connections.indexOf(connection)}`);
    },
    agentDisconnected(agentId, connection, isBroken) {
      events.push(`${agentId} ${isBroken ? 'lost' : 'left'} ${connections.indexOf(connection)}`);
    },
  };
  const { channels } = world.process('http://a/', served);
  const client = world.connect('http://a');
  await client.allocateProducerIds(1);
  assert.deepEqual(events, [], 'the agent is not known yet');
  await client.heartbeat(describedAgent);
  channels[0]!.client.abort();
  await world.clock.pass(1_000);
  await client.heartbeat(describedAgent);
  client.close();
  await settle();
  assert.deepEqual(events, ['a has 0', 'a lost 0', 'a has 1', 'a left 1']);
});

test('an agent whose connection broke during its first heartbeat is lost', async () => {
  const world = new World();
  const events: string[] = [];
  const heartbeat = Promise.withResolvers<never[]>();
  const { channels } = world.process('http://a/', {
    ...portOf({ heartbeat: () => heartbeat.promise }),
    agentConnected: (agentId) => void events.push(`${agentId} has one`),
    agentDisconnected: (agentId) => void events.push(`${agentId} lost it`),
  });
  const client = world.connect('http://a');
  client.heartbeat(describedAgent).catch(() => {});
  await settle();
  world.processes.get('http://a/')!.isDown = true;
  channels[0]!.client.abort();
  await settle();
  heartbeat.resolve([]);
  await settle();
  assert.deepEqual(events, ['a has one', 'a lost it']);
  client.close();
});

test('a stopping process does not report its agents as gone', async () => {
  const clock = new HandClock();
  const server = new MemoryEnd();
  const client = new MemoryEnd();
  server.other = client;
  client.other = server;
  const events: string[] = [];
  const cluster: ServedCluster = {
    ...portOf({ heartbeat: async () => [] }),
    agentConnected: (agentId) => void events.push(agentId),
    agentDisconnected: (agentId) => void events.push(`${agentId} is gone`),
  };
  const options = { clusterId: 'vci_test', members: () => [], memory: new ReplyMemory(clock), clock };
  client.listen({ onFrame() {}, onEnd() {} });
  const connection = serveConnection(server, {
    ...options,
    cluster: () => cluster,
    metrics: new Metrics(),
    log: silentLog,
  });
  const hello = { release: 'v830', clientId: 'c', pending: new Float64Array() };
  client.send(encodeFrame('hello', 0, hello satisfies ClientHello));
  client.send(encodeFrame('call', 1, { method: 'heartbeat', args: [describedAgent] }));
  await settle();
  await connection.drain();
  await settle();
  assert.deepEqual(events, ['a']);
});

test('followers are notified of each new connection, before anything arrives over it', async () => {
  const world = new World();
  const events: string[] = [];
  const { channels } = world.process('http://a/', portOf({ follow: () => () => {} }));
  const client = world.connect('http://a');
  client.follow({
    onSnapshot() {},
    onChanges() {},
    onConnected: () => void events.push(`connection ${channels.length}`),
  });
  await settle();
  channels[0]!.client.abort();
  await world.clock.pass(1_000);
  assert.deepEqual(events, ['connection 1', 'connection 2']);
  client.close();
});

const describedAgent = {
  agentId: 'a',
  nodeId: 1,
  host: 'a.test',
  kafkaPort: 9092,
  internalUrl: 'http://a.test',
  zone: '',
  group: '',
  roles: [],
  release: 'v830',
  cpuCount: 1,
  cpuLoad: 0,
};

/** Sensitive calls, with valid arguments, that agents must not make. */
const membersCalls: Partial<Record<CallName, readonly unknown[]>> = {
  clusterConfigs: [],
  describeTopics: [[{ name: 'orders' }]],
  describePartitions: [[{ name: 'orders' }]],
  countResources: [],
  listDeletedTopics: [],
  listJobs: [],
  holdFiles: ['vci_clone'],
  holdListedFiles: ['vci_clone', ['0'.repeat(32)]],
  confirmHold: ['vci_clone', 1],
  abandonHold: ['vci_clone'],
  releaseHeldFiles: ['vci_clone', ['0'.repeat(32)]],
  endHold: ['vci_clone'],
  listHolds: [],
  listUnneededFiles: [],
  forgetUnneededFiles: [['0'.repeat(32)]],
  compactionBacklog: [0],
  estimateRetention: [
    { topicId: null, configs: {}, rules: 'present' },
    { topicNumber: 0, partition: 0, offset: 0, bytesBefore: 0 },
  ],
  restoreTopics: [['id']],
  cloneTopic: [{ sourceId: 'a', name: 'b', configs: {}, unsetConfigs: [], ends: [] }],
  removeTopics: [[{ name: 'orders' }]],
  alterOwnerConfigs: [
    [
      {
        kind: 'cluster',
        name: '',
        replacesAll: false,
        changes: [{ name: 'service.bucket.url', operation: 'set', value: 's3://x?endpoint=http://evil' }],
      },
    ],
    { validateOnly: false },
  ],
  putCredentials: [
    [{ username: 'eve', id: 'cci_1', name: 'ccn_eve', isSuperuser: true, isFromFile: false, password: null }],
  ],
  replaceSecrets: [],
  planPipelines: [],
  describeReportedMigration: ['pi_1'],
  deleteCredentials: [['root']],
  passwordDerivation: ['root'],
  rotatePassword: [
    {
      username: 'root',
      password: {
        iterations: 4096,
        salt: new Uint8Array(),
        storedKey: new Uint8Array(),
        serverKey: new Uint8Array(),
      },
      overlapMs: 0,
    },
  ],
  endOldPassword: ['root'],
  listClients: [],
  listCredentials: [],
  runQuery: [{ queryId: 'q', request: new Uint8Array(), limitMs: 1 }],
  cancelQuery: ['q'],
  putControlPlaneEvents: [[]],
  readSeries: [{ metrics: [], fromMs: 0, stepMs: 10_000, count: 1, groupBy: null, tags: {}, seriesMax: 1 }],
  describeActivity: [1],
  describeReportedTable: ['u'],
};

test('an agent key does not allow calls of the control plane', async () => {
  const names = callNames.filter((name) => clusterCalls[name].membersOnly);
  assert.deepEqual(Object.keys(membersCalls).sort(), [...names].sort());
  for (const isMember of [false, true]) {
    const world = new World();
    world.isMember = isMember;
    const reached: string[] = [];
    const answers = names.map((name) => [name, async () => void reached.push(name)]);
    world.process('http://a/', portOf(Object.fromEntries(answers)));
    const client = world.connect('http://a') as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >;
    for (const name of names) {
      const call = client[name]!(...membersCalls[name]!);
      if (isMember) await call;
      else await assert.rejects(call, { message: `${name}: not allowed with an agent key; use the API` });
    }
    assert.deepEqual(reached, isMember ? names : []);
    const count = isMember ? 0 : names.length;
    assert.match(
      world.metrics.render(),
      new RegExp(`^service_agent_rpc_forbidden_calls_total ${count}$`, 'm'),
    );
    world.client.close();
  }
});

test('a list that is too large for a call is split, and the answers are merged', async () => {
  const world = new World();
  const sizes: number[] = [];
  const process = world.process(
    'http://a/',
    portOf({
      async describeGroups(groupIds) {
        sizes.push(groupIds.length);
        return groupIds.map((groupId) => ({ groupId }) as never);
      },
    }),
  );
  const client = world.connect('http://a');
  // By number, and, because of their length, by bytes.
  const short = Array.from({ length: 2 * rpcLimits.rpcCallEntriesMax + 1 }, (_, index) => `group-${index}`);
  const long = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(rpcLimits.rpcCallBodyBytesMax / 3));
  for (const groupIds of [short, long]) {
    const described = await world.clock.until(client.describeGroups(groupIds));
    assert.deepEqual(
      described.map(({ groupId }) => groupId),
      groupIds,
    );
  }
  assert.deepEqual(sizes, [rpcLimits.rpcCallEntriesMax, rpcLimits.rpcCallEntriesMax, 1, 2, 1, 2]);
  assert.equal(process.channels.length, 1);
  client.close();
});

test('a call that cannot be split is refused by the agent, and never sent', async () => {
  const world = new World();
  const process = world.process('http://a/', portOf({ leave: async () => {} }));
  const client = world.connect('http://a');
  await client.leave('agent');
  const sentBefore = process.channels[0]!.client.sent.length;
  const name = 'x'.repeat(rpcLimits.rpcCallBodyBytesMax);
  for (const call of [() => client.leave(name), () => client.describeGroups([name])]) {
    await assert.rejects(call(), (error) => error instanceof CallRefused && error.kind === 'invalid');
  }
  assert.equal(process.channels[0]!.client.sent.length, sentBefore);
  assert.equal(await client.leave('agent'), undefined);
  assert.equal(process.channels.length, 1);
  client.close();
});

/** A connection whose client sends whatever the test sends. */
function servedBare(port: Partial<ClusterPort>) {
  const server = new MemoryEnd();
  const client = new MemoryEnd();
  server.other = client;
  client.other = server;
  const ends: string[] = [];
  client.listen({ onFrame() {}, onEnd: (_code, reason) => void ends.push(reason) });
  const clock = new HandClock();
  const connection = serveConnection(server, {
    clusterId: 'vci_test',
    cluster: () => portOf(port),
    members: () => [],
    isMember: false,
    memory: new ReplyMemory(clock),
    clock,
    metrics: new Metrics(),
    log: silentLog,
  });
  const hello = { release: 'v830', clientId: 'c', pending: new Float64Array() };
  client.send(encodeFrame('hello', 0, hello satisfies ClientHello));
  return { server, client, clock, connection, ends };
}

/** Topics whose configs all have names of their own. */
const manyTopics = Array.from({ length: rpcLimits.rpcCostlyCallEntriesMax }, (_, index) => ({
  name: `topic-${index}`,
  partitionCount: 1,
  configs: Object.fromEntries(Array.from({ length: 20 }, (_, config) => [`c-${index}-${config}`, '1'])),
}));

test('a long call is read in turns, and the frames behind it wait for it', async () => {
  const order: string[] = [];
  const { server, client, clock, connection, ends } = servedBare({
    async createTopics(topics) {
      order.push(`create ${topics.length}`);
      return topics.map(({ name }) => created(name));
    },
    async leave(agentId) {
      order.push(`leave ${agentId}`);
    },
  });
  const long = { method: 'createTopics', args: [manyTopics, { validateOnly: true }] };
  client.send(encodeFrame('call', 1, long));
  for (let id = 2; id < 5; id++)
    client.send(encodeFrame('call', id, { method: 'leave', args: [`agent-${id}`] }));
  client.send(encodeFrame('call', 5, long));
  client.send(encodeFrame('call', 6, { method: 'leave', args: ['last'] }));
  await settle();
  assert.deepEqual([order, server.pauses, server.resumes], [[], 1, 0]);
  let turns = 0;
  // Stops after each timer.
  await clock.pass(0, () => {
    turns++;
    return server.resumes > 0;
  });
  assert.ok(turns >= 8, `${turns} turns`);
  const create = `create ${manyTopics.length}`;
  assert.deepEqual(order, [create, 'leave agent-2', 'leave agent-3', 'leave agent-4', create, 'leave last']);
  assert.equal(server.sent.filter(({ kind }) => kind === 'result').length, 6);
  assert.deepEqual(ends, []);
  connection.abort();
});

test('a long body that is wrong ends the connection, and nothing behind it is executed', async () => {
  const { client, clock, connection, ends } = servedBare({});
  const bytes = encodeFrame('call', 1, { method: 'createTopics', args: [manyTopics] });
  client.isStalled = true;
  client.send(bytes);
  // The text is wrong at its end only.
  bytes[bytes.length - 1] = 0x5d;
  client.isStalled = false;
  client.flush();
  client.send(encodeFrame('call', 2, { method: 'leave', args: ['agent'] }));
  await clock.pass(0, () => ends.length > 0);
  assert.deepEqual(ends, ['body is not JSON']);
  connection.abort();
});

test('a call with too many names gets an answer, and the frames behind it are executed', async () => {
  const { server, client, clock, connection, ends } = servedBare({ leave: async () => {} });
  const names = Array.from({ length: rpcLimits.rpcObjectNamesMax + 1 }, (_, index) => [`$${index}`, 1]);
  client.send(encodeFrame('call', 1, { method: 'leave', args: [Object.fromEntries(names)] }));
  client.send(encodeFrame('call', 2, { method: 'leave', args: ['agent'] }));
  await settle();
  await clock.pass(0, () => server.resumes > 0);
  await settle();
  assert.deepEqual(
    server.sent.map(({ kind, id }) => `${kind} ${id}`),
    ['hello 0', 'failure 1', 'result 2'],
  );
  assert.deepEqual(server.sent[1]!.body, {
    kind: 'invalid',
    message: 'object with more than 10000 names',
  });
  assert.deepEqual(ends, []);
  connection.abort();
});

test('a list that clients would split is refused, and not executed', async () => {
  const { server, client, clock, connection, ends } = servedBare({
    describeGroups: () => assert.fail('it was executed'),
    createTopics: () => assert.fail('it was executed'),
  });
  const groups = Array.from({ length: rpcLimits.rpcCallEntriesMax + 1 }, (_, index) => `g${index}`);
  client.send(encodeFrame('call', 1, { method: 'describeGroups', args: [groups] }));
  const topics = [...manyTopics, manyTopics[0]];
  client.send(encodeFrame('call', 2, { method: 'createTopics', args: [topics, { validateOnly: true }] }));
  await settle();
  await clock.pass(0, () => server.resumes > 0);
  await settle();
  const messages = [
    'describeGroups: 10001 entries exceed the limit of 10000 per call',
    'createTopics: 2001 entries exceed the limit of 2000 per call',
  ];
  assert.deepEqual(
    server.sent.slice(1),
    messages.map((message, index) => ({
      kind: 'failure',
      id: index + 1,
      body: { kind: 'invalid', message },
    })),
  );
  assert.deepEqual(ends, []);
  connection.abort();
});

test('a call that is too large gets an answer, and the connection stays open', async () => {
  const { server, client, connection, ends } = servedBare({ leave: async () => {} });
  const tooLarge = [['x'.repeat(callLimits.bodyBytesMax)], [new Uint8Array(callLimits.frameBytesMax)]];
  // As an agent without checks would send them.
  for (const [id, args] of tooLarge.entries()) {
    client.send(encodeFrame('call', id, { method: 'leave', args }));
  }
  client.send(encodeFrame('call', tooLarge.length, { method: 'leave', args: ['agent'] }));
  client.send(encodeFrame('ping', tooLarge.length));
  await settle();
  assert.deepEqual(
    server.sent.map(({ kind, id }) => `${kind} ${id}`),
    ['hello 0', 'failure 0', 'failure 1', 'pong 2', 'result 2'],
  );
  assert.deepEqual(
    server.sent.slice(1, 3).map(({ body }) => (body as { kind: string }).kind),
    ['invalid', 'invalid'],
  );
  assert.deepEqual(ends, []);
  connection.abort();
});
