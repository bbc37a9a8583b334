import { randomUUID } from 'node:crypto';
import { Metrics, seededRandom, silentLog, systemClock } from '@weir/core';
import { until } from '@weir/core/testing';
import { type EventTypeName, eventTopicName, serializeEvent } from '@weir/events';
import { openJournals } from '@weir/journal';
import { ClusterNode } from '@weir/metadata';
import { buildRecordBatch } from '@weir/wire';
import { createClusterView, type FollowingClusterView } from '../src/cluster/following-view.ts';
import { createReadPath, type ReadPath } from '../src/read-path/read-path.ts';
import { createWritePath } from '../src/write-path/file-write-path.ts';
import { testAgent } from './agent.ts';
import { produced, TestStore } from './data-path.ts';

interface StagedEvent {
  readonly timeMs: number;
  readonly data?: Readonly<Record<string, string | number>>;
}

/** Event topics over a real leader with a journal in memory, and a bucket in memory. */
export interface EventStage extends AsyncDisposable {
  readonly clusterId: string;
  readonly node: ClusterNode;
  readonly view: FollowingClusterView;
  readonly store: TestStore;
  readonly readPath: ReadPath;
  /** Creates the topic of a type, and returns its id. */
  addTopic(type: EventTypeName): Promise<string>;
  /** Writes events as one batch. Resolves when the view has it. */
  append(type: EventTypeName, events: readonly StagedEvent[]): Promise<void>;
}

export interface EventStageOptions {
  /** Size of the agent's cache for files that it wrote. Default: none, so that everything is read from the bucket. */
  readonly cacheBytesMax?: number;
}

export async function stageEvents({ cacheBytesMax = 0 }: EventStageOptions = {}): Promise<EventStage> {
  const clusterId = `vci_${randomUUID()}`;
  const shared = { clock: systemClock, log: silentLog, metrics: new Metrics() };
  const hub = openJournals(`memory://${clusterId}`, shared);
  const self = { id: 'leader', url: '' };
  const node = new ClusterNode({ ...shared, clusterId, journal: hub.journal(clusterId), self });
  node.start();
  await until(() => node.role === 'leader');
  await node.heartbeat(testAgent('agent-1'));
  const view = createClusterView(node, { log: silentLog });
  await view.ready();
  const store = new TestStore();
  const pages = { pageBytes: 4 << 20, cacheBytesMax, ownFiles: 'copy' } as const;
  const readPath = createReadPath({ ...shared, store, cluster: view, pages });
  const writePath = createWritePath({
    ...shared,
    clusterId,
    store,
    cluster: view,
    flush: { windowMs: 0, uncompressedBytesMax: 64 << 20, compressedBytesMax: 1 << 20 },
    inflightFilesMax: 64,
    bufferedBytesMax: 64 << 20,
    random: seededRandom(1),
    onStored: (file) => readPath.adopt(file),
  });
  let writtenCount = 0;
  const topicIdOf = (type: EventTypeName) => view.topicByName(eventTopicName(type))?.topicId;
  return {
    clusterId,
    node,
    view,
    store,
    readPath,
    async addTopic(type) {
      const topic = { name: eventTopicName(type), partitionCount: 1, configs: {} };
      await node.createTopics([topic], { validateOnly: false });
      await until(() => topicIdOf(type) !== undefined);
      return topicIdOf(type)!;
    },
    async append(type, events) {
      const topicId = topicIdOf(type)!;
      const endOffset = view.ends(topicId, 0)!.nextOffset + events.length;
      const source = `ws:agent:${clusterId}:agent-1`;
      const records = events.map(({ timeMs, data = {} }) => ({
        timestamp: BigInt(timeMs),
        key: null,
        value: Buffer.from(
          serializeEvent({ id: `event-${writtenCount++}`, source, type, timeMs, data: { ...data } }),
        ),
      }));
      const bytes = buildRecordBatch(records, { codec: 'zstd' });
      const deadlineMs = systemClock.monotonicMs() + 30_000;
      await writePath.append([produced(topicId, 0, bytes)], { deadlineMs });
      await until(() => view.ends(topicId, 0)!.nextOffset === endOffset);
    },
    async [Symbol.asyncDispose]() {
      view.close();
      await node.stop();
      await hub.close();
    },
  };
}
