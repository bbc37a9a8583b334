import type { ClusterView, CopyPath } from '@weir/broker';
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
  GroupOffsets,
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
  /** A report that did not arrive: the next one says it all. */
  readonly onUnreported: (error: unknown) => void;
}

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
