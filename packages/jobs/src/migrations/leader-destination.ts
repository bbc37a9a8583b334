import type { ClusterView, CopyPath, ReadPath } from '@weir/broker';
import {
  type ClusterPort,
  type MigrationReport,
  managedTopicNamespace,
  migrationTopicReports,
  readManagedTopic,
  type SourceTopicState,
} from '@weir/cluster';
import type { Acl } from '@weir/core';
import type {
  CopiedPart,
  CopyDestination,
  CopyEnd,
  GroupOffsets,
  LastBatch,
  ManagedLogStart,
  ManagedTopicView,
  SourceTopicReport,
  StateChanges,
  TopicsDestination,
  TopicToManage,
} from '@weir/migration/engine';

/** The calls of the leader that migrations need. */
export type MigrationPort = Pick<
  ClusterPort,
  | 'alterConfigs'
  | 'changeMigrationStates'
  | 'commitCopiedOffsets'
  | 'createAcls'
  | 'deleteManagedTopics'
  | 'findBatches'
  | 'growManagedTopics'
  | 'listManagedTopics'
  | 'manageTopics'
  | 'moveManagedLogStarts'
  | 'reportMigration'
  | 'setManagedConfigs'
>;

export type MigrationView = Pick<ClusterView, 'clusterConfigs' | 'ends' | 'records' | 'topicById'>;

interface LeaderDestinationOptions {
  readonly pipelineId: string;
  readonly agentId: string;
  readonly port: MigrationPort;
  readonly view: MigrationView;
  readonly copyPath: Pick<CopyPath, 'append'>;
  readonly readPath: Pick<ReadPath, 'searchBatches'>;
  /** A report that did not arrive: the next one says it all. */
  readonly onUnreported: (error: unknown) => void;
}

/** Ranges that copies end with, which are read at the same time. */
const readsMax = 32;

/** The cluster of an agent, for the engine of migrations. */
export class LeaderDestination implements CopyDestination, TopicsDestination {
  readonly #options: LeaderDestinationOptions;
  /** Of the version of the entries that it was read from. */
  #known: { readonly version: number; readonly topics: readonly (readonly [string, Managed])[] } | undefined;

  constructor(options: LeaderDestinationOptions) {
    this.#options = options;
  }

  managedTopics(): readonly ManagedTopicView[] {
    const { view } = this.#options;
    return this.#managed().flatMap(([topicId, migration]) => {
      const topic = view.topicById(topicId);
      return topic === undefined
        ? []
        : [{ ...migration, topicId, name: topic.name, partitionCount: topic.partitionCount }];
    });
  }

  #managed(): readonly (readonly [string, Managed])[] {
    const { view, pipelineId } = this.#options;
    const entries = view.records(managedTopicNamespace);
    if (this.#known?.version !== entries.version) {
      const topics = Array.from(
        entries.byKey,
        ([topicId, value]) => [topicId, readManagedTopic(value)] as const,
      ).filter(([, migration]) => migration.pipelineId === pipelineId);
      this.#known = { version: entries.version, topics };
    }
    return this.#known.topics;
  }

  endOffset(topicId: string, partition: number): number | undefined {
    return this.#options.view.ends(topicId, partition)?.nextOffset;
  }

  append(part: CopiedPart) {
    return this.#options.copyPath.append(part);
  }

  async lastBatches(ends: readonly CopyEnd[]): Promise<readonly (LastBatch | undefined)[]> {
    const { port, view, readPath } = this.#options;
    const filled = [...ends.entries()].filter(([, { topicId, partition, nextOffset }]) => {
      const known = view.ends(topicId, partition);
      return known !== undefined && nextOffset > known.logStartOffset;
    });
    const found = new Array<LastBatch | undefined>(ends.length).fill(undefined);
    if (filled.length === 0) return found;
    const answers = await port.findBatches(
      filled.map(([, { topicId, partition, nextOffset }]) => ({
        topicId,
        partition,
        offset: nextOffset - 1,
        bytesMax: 1,
      })),
    );
    const { endBatchOf } = await import('@weir/migration/truncation');
    const left = [...filled.entries()];
    const work = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [row, [at, { topicId, nextOffset }]] = next;
        const { error, pointers } = answers[row]!;
        if (error !== 'NONE') continue;
        const policy = view.topicById(topicId)?.configs['cleanup.policy'];
        const batch = await readPath.searchBatches(pointers, ({ header, offsetSpan }, baseOffset) =>
          baseOffset + offsetSpan >= nextOffset ? endBatchOf(header, baseOffset) : undefined,
        );
        if (batch !== undefined) found[at] = { batch, isCompacted: policy?.includes('compact') === true };
      }
    };
    await Promise.all(Array.from({ length: readsMax }, work));
    return found;
  }

  list(topicIds?: readonly string[]) {
    const { port, pipelineId } = this.#options;
    return port.listManagedTopics({ pipelineId, ...(topicIds && { topicIds }) });
  }

  manage(topics: readonly TopicToManage[]) {
    const { port, pipelineId } = this.#options;
    return port.manageTopics(topics, pipelineId);
  }

  grow(topics: Parameters<TopicsDestination['grow']>[0]) {
    const { port, pipelineId } = this.#options;
    return port.growManagedTopics(topics, pipelineId);
  }

  remove(topicIds: readonly string[]) {
    const { port, pipelineId } = this.#options;
    return port.deleteManagedTopics(topicIds, pipelineId);
  }

  setConfigs(topics: Parameters<TopicsDestination['setConfigs']>[0]) {
    const { port, pipelineId } = this.#options;
    return port.setManagedConfigs(topics, pipelineId);
  }

  moveLogStarts(starts: readonly ManagedLogStart[]) {
    const { port, pipelineId } = this.#options;
    return port.moveManagedLogStarts(starts, pipelineId);
  }

  changeStates(changes: StateChanges) {
    const { port, pipelineId } = this.#options;
    return port.changeMigrationStates({ ...changes, pipelineId, by: 'migration' });
  }

  commitOffsets(groups: readonly GroupOffsets[]) {
    const { port, pipelineId } = this.#options;
    return port.commitCopiedOffsets(groups, pipelineId);
  }

  createAcls(acls: Parameters<TopicsDestination['createAcls']>[0]) {
    return this.#options.port.createAcls(acls as readonly Acl[]);
  }

  clusterConfigs() {
    return this.#options.view.clusterConfigs();
  }

  async setClusterConfigs(configs: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const changes = Object.entries(configs).map(([name, value]) => ({
      name,
      operation: 'set' as const,
      value,
    }));
    const [result] = await this.#options.port.alterConfigs(
      [{ kind: 'cluster', name: '', replacesAll: false, changes }],
      { validateOnly: false },
    );
    return result?.error === 'NONE' ? [] : [result?.message ?? 'the leader does not answer'];
  }

  report(topics: readonly SourceTopicReport[], error: string | undefined): void {
    const { agentId, pipelineId } = this.#options;
    for (const report of migrationTopicReports(
      { agentId, pipelineId, error },
      topics as readonly SourceTopicState[],
    ))
      this.send(report);
  }

  send(report: MigrationReport): void {
    const { port, onUnreported } = this.#options;
    port.reportMigration(report).catch(onUnreported);
  }
}

type Managed = ReturnType<typeof readManagedTopic>;
