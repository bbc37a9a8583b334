import {
  type AgentDescription,
  type AgentHeartbeat,
  type AgentReport,
  type BatchesAnswer,
  type BatchesQuery,
  type ClusterChange,
  type ClusterFollower,
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
  type EntryError,
  entryErrors,
  type FileCommit,
  type FileCommitResult,
  type FilesToCommit,
  filesToSend,
  type MetadataEntry,
  type OffsetAnswer,
  type OffsetQuery,
  type PartitionsToCreate,
  type Pointers,
  type ShutdownLockRequest,
  type TopicDescription,
  type TopicError,
  type TopicReference,
  type TopicResult,
  type TopicToCreate,
} from '@weir/cluster';
import { type MutationOptions, refusingCluster } from '@weir/cluster/testing';

export interface FakeClusterOptions {
  readonly clusterId?: string;
  readonly clusterConfigs?: Readonly<Record<string, string>>;
  readonly agents?: readonly AgentDescription[];
  readonly nowMs?: () => number;
}

/** One range of a file, as one row of `Pointers`. */
interface Range {
  readonly fileId: string;
  readonly byteStart: number;
  byteLength: number;
  readonly baseOffset: number;
  nextOffset: number;
  maxTimestampMs: number;
}

interface AcceptedBatch {
  readonly baseSequence: number;
  readonly lastSequence: number;
  readonly baseOffset: number;
}

/** State of a producer in a partition: its epoch and its last five batches. */
interface ProducerState {
  epoch: number;
  readonly batches: AcceptedBatch[];
}

interface Partition {
  logStartOffset: number;
  nextOffset: number;
  ranges: Range[];
  readonly producers: Map<number, ProducerState>;
}

interface Topic {
  description: TopicDescription;
  readonly partitions: Partition[];
}

interface Following {
  readonly follower: ClusterFollower;
  readonly queue: (ClusterSnapshot | readonly ClusterChange[])[];
}

/** The calls that this fake answers. */
type FakedCall =
  | 'commitFiles'
  | 'findBatches'
  | 'findOffsets'
  | 'createTopics'
  | 'deleteTopics'
  | 'createPartitions'
  | 'allocateProducerIds'
  | 'heartbeat'
  | 'leave'
  | 'lockShutdown'
  | 'unlockShutdown';

/**
 * A whole cluster in memory, for tests of an agent: it assigns offsets, stores pointers, has topics and streams
 * changes. Nothing expires or times out. Followers receive changes before the promise of the call that caused them
 * settles, unless a test holds the stream back.
 */
export class FakeCluster extends refusingCluster<FakedCall>() implements ClusterPort {
  readonly clusterId: string;
  /** While true, every call rejects with `ClusterUnavailable`. */
  unavailable = false;
  /** How often each call was made. */
  readonly calls: Record<FakedCall, number> = {
    commitFiles: 0,
    findBatches: 0,
    findOffsets: 0,
    createTopics: 0,
    deleteTopics: 0,
    createPartitions: 0,
    allocateProducerIds: 0,
    heartbeat: 0,
    leave: 0,
    lockShutdown: 0,
    unlockShutdown: 0,
  };
  /** Reports of agents. */
  readonly reports: AgentReport[] = [];
  /** The agent of each group that shuts down. */
  readonly shutdownLocks = new Map<string, string>();
  readonly #nowMs: () => number;
  readonly #clusterConfigs: Readonly<Record<string, string>>;
  readonly #topics = new Map<string, Topic>();
  readonly #topicIdByName = new Map<string, string>();
  readonly #agents = new Map<string, AgentDescription>();
  readonly #commits = new Map<string, FileCommitResult>();
  readonly #following = new Set<Following>();
  readonly #records = new Map<string, MetadataEntry>();
  #streamIsHeld = false;
  #topicCount = 0;
  #nextProducerId = 1000;

  constructor(options: FakeClusterOptions = {}) {
    super();
    this.clusterId = options.clusterId ?? 'vci_fake';
    this.#clusterConfigs = options.clusterConfigs ?? {};
    this.#nowMs = options.nowMs ?? (() => 0);
    for (const agent of options.agents ?? []) this.#agents.set(agent.agentId, agent);
  }

  // --- controls for tests ---

  /** Creates a topic and returns it, for tests about something else. */
  addTopic(
    name: string,
    partitionCount = 1,
    configs: Readonly<Record<string, string>> = {},
  ): TopicDescription {
    const { error, topic } = this.#createTopic({ name, partitionCount, configs }, { validateOnly: false });
    if (topic === undefined) throw new Error(`${name}: ${error}`);
    return topic;
  }

  /** Sets the live agents. */
  setAgents(agents: readonly AgentDescription[]): void {
    this.#agents.clear();
    for (const agent of agents) this.#agents.set(agent.agentId, agent);
    this.#publish([{ kind: 'agents', agents: this.#livingAgents() }]);
  }

  /** Puts an entry that agents follow, or removes it with `null`. */
  putRecord(namespace: string, key: string, value: object | null): void {
    const id = `${namespace} ${key}`;
    const bytes = value === null ? null : Buffer.from(JSON.stringify(value));
    if (bytes === null) this.#records.delete(id);
    else this.#records.set(id, { namespace, key, value: bytes });
    this.#publish([{ kind: 'record', namespace, key, value: bytes }]);
  }

  /** From now on changes wait for `releaseChanges`, as if the stream were slow. */
  holdChanges(): void {
    this.#streamIsHeld = true;
  }

  releaseChanges(): void {
    this.#streamIsHeld = false;
    for (const following of this.#following) this.#deliverSoon(following);
  }

  /** Drops the changes in flight and sends a new snapshot, as after a lost connection. */
  reconnectFollowers(): void {
    for (const following of this.#following) {
      following.queue.length = 0;
      following.queue.push(this.#snapshot());
      this.#deliverSoon(following);
    }
  }

  /** Raises the log start, as retention does. Followers learn it from the next snapshot. */
  deleteRecordsBefore(topicId: string, partition: number, offset: number): void {
    const found = this.#partition(topicId, partition);
    if (found === undefined) throw new Error(`no partition ${partition} of ${topicId}`);
    found.logStartOffset = Math.min(Math.max(found.logStartOffset, offset), found.nextOffset);
    found.ranges = found.ranges.filter((range) => range.nextOffset > found.logStartOffset);
  }

  get followerCount(): number {
    return this.#following.size;
  }

  // --- the port ---

  async commitFiles(files: FilesToCommit): Promise<FileCommitResult[]> {
    this.#called('commitFiles');
    return filesToSend(files).map((file) => {
      const before = this.#commits.get(file.fileId);
      if (before !== undefined) return before;
      const result = this.#commitFile(file);
      this.#commits.set(file.fileId, result);
      return result;
    });
  }

  async findBatches(queries: readonly BatchesQuery[]): Promise<BatchesAnswer[]> {
    this.#called('findBatches');
    return queries.map(({ topicId, partition, offset, bytesMax }) => {
      const found = this.#partition(topicId, partition);
      if (found === undefined) {
        return {
          error: this.#missing(topicId),
          logStartOffset: -1,
          nextOffset: -1,
          lastStableOffset: -1,
          pointers: pointersOf([]),
        };
      }
      const { logStartOffset, nextOffset, ranges } = found;
      const ends = { logStartOffset, nextOffset, lastStableOffset: nextOffset };
      if (offset < logStartOffset || offset > nextOffset) {
        return { error: 'OFFSET_OUT_OF_RANGE', ...ends, pointers: pointersOf([]) };
      }
      const taken: Range[] = [];
      let bytes = 0;
      for (const range of ranges) {
        if (range.nextOffset <= offset) continue;
        if (bytes >= bytesMax && taken.length > 0) break;
        taken.push(range);
        bytes += range.byteLength;
      }
      return { error: 'NONE', ...ends, pointers: pointersOf(taken) };
    });
  }

  async findOffsets(queries: readonly OffsetQuery[]): Promise<OffsetAnswer[]> {
    this.#called('findOffsets');
    return queries.map(({ topicId, partition, want, timestampMs }) => {
      const found = this.#partition(topicId, partition);
      if (found === undefined) return { error: this.#missing(topicId), pointers: pointersOf([]) };
      const latestMs = Math.max(...found.ranges.map(({ maxTimestampMs }) => maxTimestampMs));
      const least = want === 'first' ? timestampMs : latestMs;
      const range = found.ranges.find(({ maxTimestampMs }) => maxTimestampMs >= least);
      return { error: 'NONE', pointers: pointersOf(range === undefined ? [] : [range]) };
    });
  }

  async createTopics(topics: readonly TopicToCreate[], options: MutationOptions): Promise<TopicResult[]> {
    this.#called('createTopics');
    return topics.map((topic) => this.#createTopic(topic, options));
  }

  async deleteTopics(topics: readonly TopicReference[]): Promise<TopicResult[]> {
    this.#called('deleteTopics');
    return topics.map(({ topicId, name }) => {
      const id = topicId ?? this.#topicIdByName.get(name ?? '');
      const topic = id === undefined ? undefined : this.#topics.get(id);
      if (topic === undefined) {
        return failed(
          topicId === undefined ? 'UNKNOWN_TOPIC_OR_PARTITION' : 'UNKNOWN_TOPIC_ID',
          'no such topic',
        );
      }
      const { description } = topic;
      if (this.#clusterConfigs['delete.topic.enable'] === 'false') {
        return failed('TOPIC_DELETION_DISABLED', 'delete.topic.enable is false');
      }
      if (description.configs['service.deletion.protection.enabled'] === 'true') {
        return failed('TOPIC_DELETION_DISABLED', 'the topic is protected');
      }
      this.#topics.delete(description.topicId);
      this.#topicIdByName.delete(description.name);
      this.#publish([{ kind: 'topicDeleted', topicId: description.topicId, name: description.name }]);
      return { error: 'NONE', message: null, topic: undefined };
    });
  }

  async createPartitions(
    topics: readonly PartitionsToCreate[],
    { validateOnly }: MutationOptions,
  ): Promise<TopicResult[]> {
    this.#called('createPartitions');
    return topics.map(({ name, partitionCount }) => {
      const topic = this.#topics.get(this.#topicIdByName.get(name) ?? '');
      if (topic === undefined) return failed('UNKNOWN_TOPIC_OR_PARTITION', 'no such topic');
      if (partitionCount <= topic.description.partitionCount) {
        return failed('INVALID_PARTITIONS', `the topic has ${topic.description.partitionCount} partitions`);
      }
      const description = { ...topic.description, partitionCount };
      if (!validateOnly) {
        topic.description = description;
        while (topic.partitions.length < partitionCount) topic.partitions.push(emptyPartition());
        this.#publish([{ kind: 'topic', topic: description }]);
      }
      return { error: 'NONE', message: null, topic: description };
    });
  }

  async allocateProducerIds(count: number): Promise<number> {
    this.#called('allocateProducerIds');
    const first = this.#nextProducerId;
    this.#nextProducerId += count;
    return first;
  }

  async heartbeat({ report, ...agent }: AgentHeartbeat): Promise<readonly AgentDescription[]> {
    this.#called('heartbeat');
    if (report !== undefined) this.reports.push(report);
    const known = this.#agents.has(agent.agentId);
    this.#agents.set(agent.agentId, agent);
    if (!known) this.#publish([{ kind: 'agents', agents: this.#livingAgents() }]);
    return this.#livingAgents();
  }

  async leave(agentId: string): Promise<void> {
    this.#called('leave');
    if (this.#agents.delete(agentId)) this.#publish([{ kind: 'agents', agents: this.#livingAgents() }]);
  }

  async lockShutdown({ agentId, group }: ShutdownLockRequest): Promise<boolean> {
    this.#called('lockShutdown');
    const holder = this.shutdownLocks.get(group) ?? agentId;
    if (holder === agentId) this.shutdownLocks.set(group, agentId);
    return holder === agentId;
  }

  async unlockShutdown(agentId: string): Promise<void> {
    this.#called('unlockShutdown');
    for (const [group, holder] of this.shutdownLocks)
      if (holder === agentId) this.shutdownLocks.delete(group);
  }

  follow(follower: ClusterFollower): () => void {
    const following: Following = { follower, queue: [this.#snapshot()] };
    this.#following.add(following);
    this.#deliverSoon(following);
    return () => {
      this.#following.delete(following);
    };
  }

  // --- inside ---

  #called(call: FakedCall): void {
    this.calls[call]++;
    if (this.unavailable) throw new ClusterUnavailable('the test said so');
  }

  #partition(topicId: string, partition: number): Partition | undefined {
    return this.#topics.get(topicId)?.partitions[partition];
  }

  #missing(topicId: string): EntryError {
    return this.#topics.has(topicId) ? 'UNKNOWN_TOPIC_OR_PARTITION' : 'UNKNOWN_TOPIC_ID';
  }

  #commitFile(file: FileCommit): FileCommitResult {
    const rows = file.topic.length;
    for (const column of [
      file.partition,
      file.byteStart,
      file.byteLength,
      file.recordCount,
      file.maxTimestampMs,
      file.producerId,
      file.producerEpoch,
      file.baseSequence,
    ]) {
      if (column.length !== rows) throw new TypeError(`a column has ${column.length} rows, not ${rows}`);
    }
    const result = {
      error: new Uint8Array(rows),
      baseOffset: new Float64Array(rows).fill(-1),
      logStartOffset: new Float64Array(rows).fill(-1),
    };
    const appended = new Map<Partition, { topicId: string; partition: number; ranges: Range[] }>();
    for (let row = 0; row < rows; row++) {
      const topicId = file.topicIds[file.topic[row]!]!;
      const partition = this.#partition(topicId, file.partition[row]!);
      if (partition === undefined) {
        result.error[row] = entryErrors.indexOf(this.#missing(topicId));
        continue;
      }
      result.logStartOffset[row] = partition.logStartOffset;
      const check = validateSequence(partition, file, row);
      if (check.error !== 'NONE') {
        result.error[row] = entryErrors.indexOf(check.error);
        continue;
      }
      result.baseOffset[row] = check.baseOffset;
      if (check.isDuplicate) continue;
      let entry = appended.get(partition);
      if (entry === undefined) {
        entry = { topicId, partition: file.partition[row]!, ranges: [] };
        appended.set(partition, entry);
      }
      appendRow(partition, entry.ranges, file, row);
    }
    this.#publish(
      [...appended.values()].map(({ topicId, partition, ranges }) => ({
        kind: 'appended',
        topicId,
        partition,
        pointers: pointersOf(ranges),
        lastStableOffset: ranges.at(-1)!.nextOffset,
      })),
    );
    return result;
  }

  #createTopic(
    { name, partitionCount, replicationFactor = -1, configs }: TopicToCreate,
    { validateOnly }: MutationOptions,
  ): TopicResult {
    if (!/^[a-zA-Z0-9._-]{1,249}$/.test(name) || name === '.' || name === '..') {
      return failed('INVALID_TOPIC_EXCEPTION', 'letters, digits, dots, dashes and underscores are allowed');
    }
    if (this.#topicIdByName.has(name)) return failed('TOPIC_ALREADY_EXISTS', 'the topic exists');
    const collides = [...this.#topicIdByName.keys()].find(
      (other) => other.replaceAll('.', '_') === name.replaceAll('.', '_'),
    );
    if (collides !== undefined)
      return failed('INVALID_TOPIC_EXCEPTION', `the name collides with ${collides}`);
    const wanted =
      partitionCount === -1 ? Number(this.#clusterConfigs['num.partitions'] ?? '1') : partitionCount;
    if (!Number.isInteger(wanted) || wanted < 1) {
      return failed('INVALID_PARTITIONS', 'a topic has at least one partition');
    }
    const unknown = Object.keys(configs).find((key) => key.startsWith('service.nonsense'));
    if (unknown !== undefined) return failed('INVALID_CONFIG', `there is no config ${unknown}`);
    const description: TopicDescription = {
      topicId: topicIdOf(this.#topicCount + 1),
      name,
      partitionCount: wanted,
      ...(replicationFactor === -1 ? {} : { replicationFactor }),
      configs,
      createdMs: this.#nowMs(),
    };
    if (!validateOnly) {
      this.#topicCount++;
      this.#topics.set(description.topicId, {
        description,
        partitions: Array.from({ length: wanted }, emptyPartition),
      });
      this.#topicIdByName.set(name, description.topicId);
      this.#publish([{ kind: 'topic', topic: description }]);
    }
    return { error: 'NONE', message: null, topic: description };
  }

  #livingAgents(): AgentDescription[] {
    return [...this.#agents.values()].sort((a, b) => (a.agentId < b.agentId ? -1 : 1));
  }

  #snapshot(): ClusterSnapshot {
    const topics = [...this.#topics.values()];
    const partitions = topics.flatMap((topic) => topic.partitions);
    return {
      clusterId: this.clusterId,
      clusterConfigs: this.#clusterConfigs,
      topics: topics.map(({ description }) => description),
      logStartOffset: Float64Array.from(partitions, ({ logStartOffset }) => logStartOffset),
      nextOffset: Float64Array.from(partitions, ({ nextOffset }) => nextOffset),
      lastStableOffset: Float64Array.from(partitions, ({ nextOffset }) => nextOffset),
      agents: this.#livingAgents(),
      records: [...this.#records.values()],
    };
  }

  #publish(changes: readonly ClusterChange[]): void {
    if (changes.length === 0) return;
    for (const following of this.#following) {
      following.queue.push(changes);
      this.#deliverSoon(following);
    }
  }

  #deliverSoon(following: Following): void {
    queueMicrotask(() => {
      if (this.#streamIsHeld) return;
      for (;;) {
        const next = following.queue.shift();
        if (next === undefined || !this.#following.has(following)) return;
        if ('clusterId' in next) following.follower.onSnapshot(next);
        else following.follower.onChanges(next);
      }
    });
  }
}

type SequenceCheck =
  | { readonly error: 'NONE'; readonly baseOffset: number; readonly isDuplicate: boolean }
  | { readonly error: Exclude<EntryError, 'NONE'> };

/** The rules for idempotent producers: five batches are remembered, and an unknown producer may start anywhere. */
function validateSequence(partition: Partition, file: FileCommit, row: number): SequenceCheck {
  const accepted: SequenceCheck = { error: 'NONE', baseOffset: partition.nextOffset, isDuplicate: false };
  const producerId = file.producerId[row]!;
  if (producerId < 0) return accepted;
  const epoch = file.producerEpoch[row]!;
  const baseSequence = file.baseSequence[row]!;
  const lastSequence = sequenceAfter(baseSequence, file.recordCount[row]! - 1);
  const state = partition.producers.get(producerId);
  if (state !== undefined && epoch < state.epoch) return { error: 'INVALID_PRODUCER_EPOCH' };
  if (state !== undefined && epoch === state.epoch) {
    const same = state.batches.find(
      (batch) => batch.baseSequence === baseSequence && batch.lastSequence === lastSequence,
    );
    if (same !== undefined) return { error: 'NONE', baseOffset: same.baseOffset, isDuplicate: true };
    if (sequenceAfter(state.batches.at(-1)!.lastSequence, 1) !== baseSequence) {
      return { error: 'OUT_OF_ORDER_SEQUENCE_NUMBER' };
    }
  }
  if (state !== undefined && epoch > state.epoch && baseSequence !== 0) {
    return { error: 'OUT_OF_ORDER_SEQUENCE_NUMBER' };
  }
  const batches = state === undefined || epoch > state.epoch ? [] : state.batches;
  batches.push({ baseSequence, lastSequence, baseOffset: partition.nextOffset });
  if (batches.length > 5) batches.shift();
  partition.producers.set(producerId, { epoch, batches });
  return accepted;
}

/** Sequences wrap from 2^31 - 1 to 0. */
function sequenceAfter(sequence: number, steps: number): number {
  return (sequence + steps) % 0x8000_0000;
}

/** Adds a batch to the partition; batches that are adjacent in the file share one range. */
function appendRow(partition: Partition, appended: Range[], file: FileCommit, row: number): void {
  const byteStart = file.byteStart[row]!;
  const last = appended.at(-1);
  const nextOffset = partition.nextOffset + file.recordCount[row]!;
  if (last !== undefined && last.byteStart + last.byteLength === byteStart) {
    last.byteLength += file.byteLength[row]!;
    last.nextOffset = nextOffset;
    last.maxTimestampMs = Math.max(last.maxTimestampMs, file.maxTimestampMs[row]!);
  } else {
    const range: Range = {
      fileId: file.fileId,
      byteStart,
      byteLength: file.byteLength[row]!,
      baseOffset: partition.nextOffset,
      nextOffset,
      maxTimestampMs: file.maxTimestampMs[row]!,
    };
    appended.push(range);
    partition.ranges.push(range);
  }
  partition.nextOffset = nextOffset;
}

function emptyPartition(): Partition {
  return { logStartOffset: 0, nextOffset: 0, ranges: [], producers: new Map() };
}

function pointersOf(ranges: readonly Range[]): Pointers {
  return {
    fileId: ranges.map(({ fileId }) => fileId),
    byteStart: Float64Array.from(ranges, ({ byteStart }) => byteStart),
    byteLength: Float64Array.from(ranges, ({ byteLength }) => byteLength),
    baseOffset: Float64Array.from(ranges, ({ baseOffset }) => baseOffset),
    nextOffset: Float64Array.from(ranges, ({ nextOffset }) => nextOffset),
  };
}

/** A topic id in Kafka's text form, with a counter. */
function topicIdOf(count: number): string {
  const bytes = Buffer.alloc(16, 0x77);
  bytes.writeUInt32BE(count, 12);
  return bytes.toString('base64url');
}

function failed(error: TopicError, message: string): TopicResult {
  return { error, message, topic: undefined };
}
