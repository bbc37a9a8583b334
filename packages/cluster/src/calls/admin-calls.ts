import type {
  AlterConfigsResult,
  DeleteRecordsResult,
  JournalState,
  LogSizes,
  StoredConfigKind,
} from '../ports/admin-port.ts';
import {
  type ConfigChange,
  type ConfigsToAlter,
  configOperations,
  configResourceKinds,
  type RecordsToDelete,
  type StoredConfigResource,
  storedConfigKinds,
} from '../ports/admin-port.ts';
import type { MutationOptions } from '../ports/port.ts';
import { flag, list, nullable, number, object, oneOf, text, tuple, whole } from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import { mutationOptions } from './topic-shapes.ts';

export const configsToAlter = object<ConfigsToAlter>({
  kind: oneOf(...configResourceKinds),
  name: text,
  replacesAll: flag,
  changes: list(
    object<ConfigChange>({ name: text, operation: oneOf(...configOperations), value: nullable(text) }),
  ),
});

/** Calls of administrators. */
export const adminCalls = {
  /** Changes configs. The changes of one resource are atomic; each resource has its own result. */
  alterConfigs: command<
    [resources: readonly ConfigsToAlter[], options: MutationOptions],
    AlterConfigsResult[]
  >(tuple(list(configsToAlter), mutationOptions), { splits: true }),
  /**
   * Returns the configs set on groups, client-metrics subscriptions and individual brokers. Configs of topics and of
   * the cluster are in the change stream.
   */
  describeConfigs: query<[resources: readonly StoredConfigResource[]], Readonly<Record<string, string>>[]>(
    tuple(list(object<StoredConfigResource>({ kind: oneOf(...storedConfigKinds), name: text }))),
    { splits: true },
  ),
  /** Returns the names of the groups, subscriptions or brokers that have configs. */
  listConfigResources: query<[kind: StoredConfigKind], string[]>(tuple(oneOf(...storedConfigKinds))),
  /** Raises log start offsets. Records below them can no longer be read. */
  deleteRecords: command<[partitions: readonly RecordsToDelete[]], DeleteRecordsResult[]>(
    tuple(list(object<RecordsToDelete>({ topicId: text, partition: whole, offset: number }))),
    { splits: true },
  ),
  /** Returns the bytes in log files per partition, for at most `clusterLimits.logSizesPerCallMax` topics. */
  logSizes: query<[topicIds: readonly string[]], LogSizes>(tuple(list(text))),
  /**
   * Returns the number of files with readable records by compaction level; index 0 counts files as agents wrote them.
   */
  countFiles: query<[], readonly number[]>(tuple()),
  /** Returns epoch and position of the cluster's journal. */
  describeJournal: leaderCall<[], JournalState>(tuple(), { onRetry: 'reexecute' }),
};
