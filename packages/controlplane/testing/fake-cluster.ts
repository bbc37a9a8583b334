import {
  type ClusterFollower,
  type ClusterPort,
  type ClusterSnapshot,
  type FileCommit,
  type FilesToCommit,
  filesToSend,
} from '@weir/cluster';
import { refusingCluster } from '@weir/cluster/testing';

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

/** A cluster that counts its calls and gives simple answers. */
export class FakeCluster extends refusingCluster<FakedCall>() implements ClusterPort {
  readonly clusterId: string;
  readonly followers = new Set<ClusterFollower>();
  /** How often each method was called. */
  readonly runs = new Map<string, number>();
  /** Runs before every method; what it throws is the answer. */
  before: (method: string) => void | Promise<void> = () => {};
  nextProducerId = 1000;

  constructor(clusterId = 'vci_test') {
    super();
    this.clusterId = clusterId;
  }

  async commitFiles(files: FilesToCommit) {
    await this.#run('commitFiles');
    return filesToSend(files).map(({ topic, partition }) => ({
      error: new Uint8Array(topic.length),
      baseOffset: Float64Array.from(partition, (number, row) => number * 1e6 + row),
      logStartOffset: new Float64Array(topic.length),
    }));
  }

  async findBatches() {
    await this.#run('findBatches');
    return [];
  }

  async findOffsets() {
    await this.#run('findOffsets');
    return [];
  }

  async createTopics(topics: Parameters<ClusterPort['createTopics']>[0]) {
    await this.#run('createTopics');
    return topics.map(({ name, configs }) => ({
      error: 'NONE' as const,
      message: null,
      topic: { topicId: `id-of-${name}`, name, partitionCount: 1, configs, createdMs: 0 },
    }));
  }

  async deleteTopics() {
    await this.#run('deleteTopics');
    return [];
  }

  async createPartitions() {
    await this.#run('createPartitions');
    return [];
  }

  async allocateProducerIds(count: number) {
    await this.#run('allocateProducerIds');
    this.nextProducerId += count;
    return this.nextProducerId - count;
  }

  async heartbeat(agent: Parameters<ClusterPort['heartbeat']>[0]) {
    await this.#run('heartbeat');
    return [agent];
  }

  async leave() {
    await this.#run('leave');
  }

  async lockShutdown() {
    await this.#run('lockShutdown');
    return true;
  }

  async unlockShutdown() {
    await this.#run('unlockShutdown');
  }

  follow(follower: ClusterFollower): () => void {
    this.followers.add(follower);
    follower.onSnapshot(this.snapshot());
    return () => this.followers.delete(follower);
  }

  snapshot(): ClusterSnapshot {
    return {
      clusterId: this.clusterId,
      clusterConfigs: {},
      topics: [],
      logStartOffset: new Float64Array(0),
      nextOffset: new Float64Array(0),
      lastStableOffset: new Float64Array(0),
      agents: [],
      records: [],
    };
  }

  async #run(method: string): Promise<void> {
    this.runs.set(method, (this.runs.get(method) ?? 0) + 1);
    await this.before(method);
  }
}

/** A commit of this many batches, each of another topic. */
export function commitOf(rowCount: number, fileId = 'f'.repeat(32)): FileCommit {
  const rows = Array.from({ length: rowCount }, (_, row) => row);
  return {
    fileId,
    fileBytes: rowCount * 1000,
    topicIds: rows.map((row) => row.toString(16).padStart(32, '0')),
    topic: Uint32Array.from(rows),
    partition: Uint32Array.from(rows, (row) => row % 64),
    byteStart: Uint32Array.from(rows, (row) => row * 1000),
    byteLength: Uint32Array.from(rows, () => 1000),
    recordCount: Uint32Array.from(rows, () => 10),
    maxTimestampMs: Float64Array.from(rows, (row) => 1.8e12 + row),
    producerId: Float64Array.from(rows, (row) => (row % 2 === 0 ? -1 : row)),
    producerEpoch: Int16Array.from(rows, (row) => (row % 2 === 0 ? -1 : 0)),
    baseSequence: Int32Array.from(rows, (row) => (row % 2 === 0 ? -1 : row)),
  };
}
