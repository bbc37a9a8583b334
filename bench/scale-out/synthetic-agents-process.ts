import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { Heartbeats } from '../../packages/agent/src/heartbeats.ts';
import type { ClusterChange } from '../../packages/cluster/src/calls/change-stream.ts';
import type { FileCommit } from '../../packages/cluster/src/calls/log-calls.ts';
import { type ClusterClient, connectCluster } from '../../packages/rpc/src/client/client.ts';
import { encodeBody } from '../../packages/rpc/src/frames/frame.ts';
import { packChanges } from '../../packages/rpc/src/frames/pack-changes.ts';
import { newFileId } from '../../packages/storage/src/log-file/file-id.ts';
import { agentOf, reportsOf } from '../described-agent.ts';

/** What agents without clients and buckets do to the control plane. */
export interface AgentLoad {
  /** Files that are committed, by all committers together. */
  readonly filesPerSecond: number;
  readonly committers: number;
  readonly pointersPerFile: number;
  /** Adjacent batches of one partition in one file are one pointer. */
  readonly batchesPerPointer: number;
  /** Connections that only follow the cluster. */
  readonly followers: number;
  /** Connections that follow and send heartbeats, as an agent without clients does. */
  readonly agents: number;
}

/** Counts since the start of the process. */
export interface AgentCounts {
  readonly files: number;
  readonly batches: number;
  /** Commits that failed: the leader lost its lease. */
  readonly failures: number;
  /** Pointers that the cluster announced, counted at one follower. */
  readonly pointers: number;
  /** Messages with changes that followers received, and the pointers in them. */
  readonly pushes: number;
  readonly pushedPointers: number;
  readonly heartbeats: number;
  /** Descriptions of agents that were received, in answers to heartbeats and in changes. */
  readonly listedAgents: number;
  /** Bytes of changes with many pointers, and those pointers: a sample. */
  readonly sampledBytes: number;
  readonly sampledPointers: number;
  /** From when a commit was due. */
  readonly commitMs: readonly number[];
}

export type AgentsOrder =
  | { readonly kind: 'load'; readonly load: AgentLoad }
  | { readonly kind: 'counts' }
  | { readonly kind: 'forget' };

export interface AgentsToSimulate {
  readonly url: string;
  readonly clusterId: string;
  readonly agentKey: string;
}

/** The child of `SyntheticAgents`: connections to a control plane that commit, follow and send heartbeats. */
const topicName = 'synthetic';
/** Enough for every committer to have partitions of its own. */
const partitionCount = 2_000;
const recordsPerBatch = 64;
const batchBytes = recordsPerBatch * 1024;
/** Commits without an answer, per committer: an agent has not more files under way either. */
const underWayMax = 64;
/** A message with so many pointers is large compared with its head. */
const sampledPointersMin = 50;
const samplesMax = 200;
/** Connections that are opened at the same time. All agents get the list again when one comes. */
const connectingMax = 20;

let order: AgentsToSimulate | undefined;
let topicId = '';
let ports: ClusterClient[] = [];
let heartbeats: Heartbeats[] = [];
let generation = 0;
let samples = 0;
let underWayOfAll = 0;
let firstProducerId = 1;
/** Next sequences of the producers, by partition. */
const sequences = new Map<number, number>();
const counts = {
  files: 0,
  batches: 0,
  failures: 0,
  pointers: 0,
  pushes: 0,
  pushedPointers: 0,
  heartbeats: 0,
  listedAgents: 0,
  sampledBytes: 0,
  sampledPointers: 0,
  commitMs: [] as number[],
};

process.on('disconnect', () => process.exit());
process.on('message', async (message: AgentsOrder | AgentsToSimulate) => {
  process.send!((await answer(message)) ?? 'done');
});

async function answer(message: AgentsOrder | AgentsToSimulate): Promise<AgentCounts | undefined> {
  if (!('kind' in message)) {
    order = message;
    await createTopic();
  } else if (message.kind === 'load') await begin(message.load);
  else if (message.kind === 'forget') {
    counts.commitMs = [];
    samples = 0;
  } else return counts;
  return undefined;
}

function connect(): ClusterClient {
  const { url, clusterId, agentKey } = order!;
  return connectCluster({
    urls: [url],
    clusterId,
    agentKey: () => agentKey,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: new Metrics(),
  });
}

async function createTopic(): Promise<void> {
  const port = connect();
  const topic = { name: topicName, partitionCount, configs: {} };
  const [result] = await port.createTopics([topic], { validateOnly: false });
  if (result?.topic === undefined) throw new Error(`createTopics: ${result?.error} ${result?.message ?? ''}`);
  topicId = result.topic.topicId;
  port.close();
}

async function begin(load: AgentLoad): Promise<void> {
  generation++;
  const own = generation;
  for (const beating of heartbeats) beating.stop();
  // The sequences of a commit whose answer is lost would be unknown.
  while (underWayOfAll > 0) await pause(1);
  for (const port of ports) port.close();
  heartbeats = [];
  ports = [];
  const count = load.followers + load.agents;
  for (let first = 0; first < count; first += connectingMax) {
    const group = Array.from({ length: Math.min(connectingMax, count - first) }, async (_, index) => {
      const port = connect();
      ports.push(port);
      await follow(port, first + index === 0);
      if (first + index >= load.followers) await beat(port, first + index);
    });
    await Promise.all(group);
  }
  for (let number = 0; number < load.committers; number++) {
    const port = connect();
    ports.push(port);
    void commit(port, load, number, () => own === generation);
  }
}

/** Resolves with the first snapshot. */
function follow(port: ClusterClient, isFirst: boolean): Promise<void> {
  return new Promise((resolve) => {
    port.follow({
      onSnapshot: () => resolve(),
      onChanges: (changes) => count(changes, isFirst),
    });
  });
}

function count(changes: readonly ClusterChange[], isFirst: boolean): void {
  counts.pushes++;
  let pointers = 0;
  for (const change of changes) {
    if (change.kind === 'appended') pointers += change.pointers.fileId.length;
    else if (change.kind === 'agents') counts.listedAgents += change.agents.length;
  }
  counts.pushedPointers += pointers;
  if (!isFirst) return;
  counts.pointers += pointers;
  if (pointers < sampledPointersMin || samples === samplesMax) return;
  samples++;
  counts.sampledPointers += pointers;
  counts.sampledBytes += encodeBody(packChanges(changes)).frame.length;
}

async function beat(port: ClusterClient, number: number): Promise<void> {
  const agentId = `agent-${process.pid}-${number}-93a7-4c58-b1de-0d1f6f0c7b55`;
  let beats = number;
  const beating = new Heartbeats({
    port: {
      ...port,
      async heartbeat(heartbeat) {
        const agents = await port.heartbeat(heartbeat);
        counts.heartbeats++;
        counts.listedAgents += agents.length;
        return agents;
      },
    },
    self: () => agentOf(agentId, number, beats++),
    reports: reportsOf(),
    clock: systemClock,
    log: silentLog,
  });
  heartbeats.push(beating);
  await beating.start();
}

/** Commits at a steady rate until the load ends. */
async function commit(
  port: ClusterClient,
  load: AgentLoad,
  number: number,
  isCurrent: () => boolean,
): Promise<void> {
  const intervalMs = (1000 * load.committers) / load.filesPerSecond;
  const ownPartitions = Math.floor(partitionCount / load.committers);
  let underWay = 0;
  // Committers do not act at the same moment.
  let dueMs = systemClock.monotonicMs() + (number / load.committers) * intervalMs;
  for (let file = 0; ; file++, dueMs += intervalMs) {
    const waitMs = dueMs - systemClock.monotonicMs();
    if (waitMs > 0) await pause(waitMs);
    while (underWay >= underWayMax && isCurrent()) await pause(1);
    if (!isCurrent()) return;
    const firstPartition = (file * load.pointersPerFile) % (ownPartitions - load.pointersPerFile + 1);
    const made = fileOf(load, number * ownPartitions + firstPartition);
    const sentForMs = dueMs;
    underWay++;
    underWayOfAll++;
    port
      .commitFiles([made])
      .then(([result]) => {
        if (result?.error.some((code) => code !== 0))
          throw new Error(`results ${[...result.error].join(' ')}`);
        counts.files++;
        counts.batches += made.partition.length;
        counts.commitMs.push(systemClock.monotonicMs() - sentForMs);
      })
      .catch(() => {
        // On a busy machine the leader may lose its lease. What became of other commits is unknown too, so that all
        // producers begin anew.
        counts.failures++;
        firstProducerId += partitionCount;
        sequences.clear();
      })
      .finally(() => {
        underWay--;
        underWayOfAll--;
      });
  }
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(durationMs, resolve));
}

/** A file with batches of idempotent producers, one for each partition. */
function fileOf({ pointersPerFile, batchesPerPointer }: AgentLoad, firstPartition: number): FileCommit {
  const count = pointersPerFile * batchesPerPointer;
  const rows = Array.from({ length: count }, (_, row) => row);
  const partition = Uint32Array.from(rows, (row) => firstPartition + Math.floor(row / batchesPerPointer));
  const baseSequence = Int32Array.from(partition, (number) => {
    const next = sequences.get(number) ?? 0;
    sequences.set(number, next + recordsPerBatch);
    return next;
  });
  return {
    fileId: newFileId(systemClock.nowMs(), systemRandom),
    fileBytes: count * batchBytes,
    topicIds: [topicId],
    topic: new Uint32Array(count),
    partition,
    byteStart: Uint32Array.from(rows, (row) => row * batchBytes),
    byteLength: new Uint32Array(count).fill(batchBytes),
    recordCount: new Uint32Array(count).fill(recordsPerBatch),
    maxTimestampMs: new Float64Array(count).fill(systemClock.nowMs()),
    producerId: Float64Array.from(partition, (number) => firstProducerId + number),
    producerEpoch: new Int16Array(count),
    baseSequence,
  };
}
