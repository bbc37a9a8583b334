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

/** The calls of administrators. */
export const adminCalls = {
  /** Changes configs. All changes of one resource are made or none, and each resource has its own answer. */
  alterConfigs: command<
    [resources: readonly ConfigsToAlter[], options: MutationOptions],
    AlterConfigsResult[]
  >(tuple(list(configsToAlter), mutationOptions), { splits: true }),
  /** What is set for groups, subscriptions of client metrics and single brokers. Followers know what topics and the cluster have. */
  describeConfigs: query<[resources: readonly StoredConfigResource[]], Readonly<Record<string, string>>[]>(
    tuple(list(object<StoredConfigResource>({ kind: oneOf(...storedConfigKinds), name: text }))),
    { splits: true },
  ),
  /** The names of the groups, subscriptions or brokers for which something is set. */
  listConfigResources: query<[kind: StoredConfigKind], string[]>(tuple(oneOf(...storedConfigKinds))),
  /** Lets logs begin later. What lies before cannot be read any more. */
  deleteRecords: command<[partitions: readonly RecordsToDelete[]], DeleteRecordsResult[]>(
    tuple(list(object<RecordsToDelete>({ topicId: text, partition: whole, offset: number }))),
    { splits: true },
  ),
  /** How many bytes of files the partitions of topics take. At most `clusterLimits.logSizesPerCallMax` topics at a time. */
  logSizes: query<[topicIds: readonly string[]], LogSizes>(tuple(list(text))),
  /**
   * How many files hold records that can be read, by how often they were compacted: the first number is of those as agents wrote
   * them.
   */
  countFiles: query<[], readonly number[]>(tuple()),
  /** How far the journal of the cluster is. */
  describeJournal: leaderCall<[], JournalState>(tuple(), { onRetry: 'reexecute' }),
};
