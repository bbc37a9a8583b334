import type { Acl } from '@weir/core';
import { describeAcls } from '../acls/describe-acls.ts';
import type { AclFilter, AclResult, DeletedAcls } from '../cluster/acls-port.ts';
import type {
  AlterConfigsResult,
  ConfigsToAlter,
  DeleteRecordsResult,
  JournalState,
  LogSizes,
  RecordsToDelete,
  StoredConfigKind,
  StoredConfigResource,
} from '../cluster/admin-port.ts';
import type { AgentHeartbeat } from '../cluster/agent-report.ts';
import { clusterFacts } from '../cluster/cluster-facts.ts';
import { secretsReplacement } from '../cluster/cluster-secrets.ts';
import type {
  ControlPlaneEvent,
  ControlPlaneEventsTaken,
  ControlPlaneEventsWish,
} from '../cluster/events-port.ts';
import type {
  ConsumerGroupDescription,
  ConsumerHeartbeat,
  ConsumerHeartbeatAnswer,
  GroupDescription,
  GroupError,
  GroupFilter,
  GroupHeartbeat,
  GroupListing,
  JoinGroupAnswer,
  JoinGroupRequest,
  LeaveGroupAnswer,
  LeaveGroupRequest,
  OffsetsAnswer,
  OffsetsCommit,
  OffsetsCommitAnswer,
  OffsetsQuery,
  OffsetsToDelete,
  SyncGroupAnswer,
  SyncGroupRequest,
  TopicPartition,
} from '../cluster/groups-port.ts';
import type { AgentClients, DeletedTopic, SeenAgent } from '../cluster/owner-port.ts';
import {
  type AgentDescription,
  type BatchesAnswer,
  type BatchesQuery,
  type ClusterFollower,
  type ClusterPort,
  ClusterUnavailable,
  type FileCommitResult,
  type FilesToCommit,
  filesToSend,
  type MutationOptions,
  type OffsetAnswer,
  type OffsetQuery,
  type PartitionsToCreate,
  type ShutdownLockRequest,
  type TopicReference,
  type TopicResult,
  type TopicToCreate,
} from '../cluster/port.ts';
import type {
  AlterClientQuotasResult,
  ClientQuotaFilter,
  ClientQuotas,
  ClientQuotasToAlter,
  CredentialDescription,
  CredentialResult,
  CredentialToPut,
  ScramCredentialChange,
  ScramCredentialDescription,
  ScramCredentialResult,
} from '../cluster/principals-port.ts';
import type {
  JobHold,
  QueryOutcome,
  QueryReport,
  QueryToRun,
  QueryWish,
  TakenQuery,
} from '../cluster/queries-port.ts';
import type {
  AcknowledgeAnswer,
  AcquireAnswer,
  RecordsToAcknowledge,
  RecordsToAcquire,
  ShareGroupDescription,
  ShareHeartbeat,
  ShareHeartbeatAnswer,
  ShareOffsetsAnswer,
  ShareOffsetsQuery,
  ShareOffsetsResult,
  ShareOffsetsToAlter,
  ShareOffsetsToDelete,
} from '../cluster/share-port.ts';
import type {
  ListedTransaction,
  OffsetsToAdd,
  PartitionsToAdd,
  ProducersAnswer,
  TransactionAnswer,
  TransactionalProducer,
  TransactionalProducerToInit,
  TransactionDescription,
  TransactionFilter,
  TransactionOffsetsAnswer,
  TransactionOffsetsToCommit,
  TransactionToEnd,
} from '../cluster/transactions-port.ts';
import { listCredentials } from '../credentials/credentials.ts';
import { describeScramCredentials } from '../credentials/scram-credentials.ts';
import type { Command, ReplyOf } from '../machine/command.ts';
import { describeQuotas } from '../quotas/describe-quotas.ts';
import type { Leadership } from './leadership.ts';

/** What the calls of the port come down to. */
export interface CallTarget {
  /** Executes a command, and answers when it is durable. */
  submit<C extends Command>(command: C): Promise<ReplyOf<C>>;
  /** Asks the present leadership; rejects when there is none. */
  lead<Answer>(call: (leadership: Leadership) => Promise<Answer>): Promise<Answer>;
  follow(follower: ClusterFollower): () => void;
  /** An id that nobody ever had, for a topic. */
  freshId(): string;
}

/** The port of a cluster as commands and questions to its leader. */
export class ClusterCalls implements ClusterPort {
  readonly #target: CallTarget;

  constructor(target: CallTarget) {
    this.#target = target;
  }

  commitFiles(wanted: FilesToCommit): Promise<FileCommitResult[]> {
    return this.#target.lead(({ autoScaler }) => {
      const files = filesToSend(wanted);
      if (files.length === 0) return Promise.resolve([]);
      autoScaler.note(files);
      return this.#target.submit({ kind: 'commitFiles', files });
    });
  }

  findBatches(queries: readonly BatchesQuery[]): Promise<BatchesAnswer[]> {
    return this.#target.lead(({ pipeline }) => pipeline.ask((machine) => machine.findBatches(queries)));
  }

  findOffsets(queries: readonly OffsetQuery[]): Promise<OffsetAnswer[]> {
    return this.#target.lead(({ pipeline }) => pipeline.ask((machine) => machine.findOffsets(queries)));
  }

  createTopics(topics: readonly TopicToCreate[], { validateOnly }: MutationOptions): Promise<TopicResult[]> {
    const topicIds = topics.map(() => this.#target.freshId());
    return this.#target.submit({ kind: 'createTopics', topics, topicIds, validateOnly });
  }

  deleteTopics(topics: readonly TopicReference[]): Promise<TopicResult[]> {
    return this.#target.submit({ kind: 'deleteTopics', topics });
  }

  removeTopics(topics: readonly TopicReference[]): Promise<TopicResult[]> {
    return this.#target.submit({ kind: 'removeTopics', topics });
  }

  restoreTopics(topicIds: readonly string[]): Promise<TopicResult[]> {
    return this.#target.submit({ kind: 'restoreTopics', topicIds });
  }

  listDeletedTopics(): Promise<DeletedTopic[]> {
    return this.#target.lead(({ pipeline }) =>
      pipeline.ask((machine, nowMs) => machine.deletedTopics(nowMs)),
    );
  }

  createPartitions(
    topics: readonly PartitionsToCreate[],
    { validateOnly }: MutationOptions,
  ): Promise<TopicResult[]> {
    return this.#target.submit({ kind: 'createPartitions', topics, validateOnly });
  }

  alterConfigs(
    resources: readonly ConfigsToAlter[],
    { validateOnly }: MutationOptions,
  ): Promise<AlterConfigsResult[]> {
    return this.#target.submit({ kind: 'alterConfigs', resources, validateOnly });
  }

  async replaceSecrets(): Promise<void> {
    const value = Buffer.from(this.#target.freshId());
    const changes = [{ ...secretsReplacement.asked, value }];
    const { message } = await this.#target.submit({ kind: 'putRecords', changes });
    if (message !== null) throw new Error(message);
  }

  alterOwnerConfigs(
    resources: readonly ConfigsToAlter[],
    { validateOnly }: MutationOptions,
  ): Promise<AlterConfigsResult[]> {
    return this.#target.submit({ kind: 'alterConfigs', resources, validateOnly, by: 'owner' });
  }

  describeConfigs(resources: readonly StoredConfigResource[]): Promise<Readonly<Record<string, string>>[]> {
    return this.#target.lead(({ pipeline }) =>
      pipeline.ask((machine) => resources.map((resource) => machine.storedConfigs(resource))),
    );
  }

  listConfigResources(kind: StoredConfigKind): Promise<string[]> {
    return this.#target.lead(({ pipeline }) => pipeline.ask((machine) => machine.storedConfigNames(kind)));
  }

  deleteRecords(partitions: readonly RecordsToDelete[]): Promise<DeleteRecordsResult[]> {
    return this.#target.submit({ kind: 'deleteRecords', partitions });
  }

  logSizes(topicIds: readonly string[]): Promise<LogSizes> {
    return this.#target.lead(({ pipeline }) => pipeline.ask((machine) => machine.logSizes(topicIds)));
  }

  describeJournal(): Promise<JournalState> {
    return this.#target.lead(({ pipeline }) => pipeline.ask(() => pipeline.journal));
  }

  countFiles(): Promise<readonly number[]> {
    return this.#target.lead(({ pipeline }) => pipeline.ask((machine) => machine.countFiles()));
  }

  alterClientQuotas(
    entities: readonly ClientQuotasToAlter[],
    { validateOnly }: MutationOptions,
  ): Promise<AlterClientQuotasResult[]> {
    return this.#target.submit({ kind: 'alterClientQuotas', entities, validateOnly });
  }

  describeClientQuotas(filter: ClientQuotaFilter): Promise<ClientQuotas[]> {
    return this.#target.lead(({ pipeline }) =>
      pipeline.ask((machine) => describeQuotas(machine.records, filter)),
    );
  }

  alterScramCredentials(changes: readonly ScramCredentialChange[]): Promise<ScramCredentialResult[]> {
    return this.#target.submit({ kind: 'alterScramCredentials', changes });
  }

  describeScramCredentials(users: readonly string[]): Promise<(ScramCredentialDescription | null)[]> {
    return this.#target.lead(({ pipeline }) =>
      pipeline.ask((machine) => describeScramCredentials(machine.records, users)),
    );
  }

  putCredentials(credentials: readonly CredentialToPut[]): Promise<CredentialResult[]> {
    return this.#target.submit({ kind: 'putCredentials', credentials });
  }

  deleteCredentials(usernames: readonly string[]): Promise<CredentialResult[]> {
    return this.#target.submit({ kind: 'deleteCredentials', usernames });
  }

  listCredentials(): Promise<CredentialDescription[]> {
    return this.#target.lead(({ pipeline, agents }) =>
      pipeline.ask((machine) => listCredentials(machine.records, agents.logins.loginMs)),
    );
  }

  createAcls(acls: readonly Acl[]): Promise<AclResult[]> {
    return this.#target.submit({ kind: 'createAcls', acls });
  }

  deleteAcls(filters: readonly AclFilter[]): Promise<DeletedAcls[]> {
    return this.#target.submit({ kind: 'deleteAcls', filters });
  }

  describeAcls(filter: AclFilter): Promise<Acl[]> {
    return this.#target.lead(({ pipeline }) =>
      pipeline.ask((machine) => describeAcls(machine.records, filter)),
    );
  }

  allocateProducerIds(count: number): Promise<number> {
    return this.#target.submit({ kind: 'allocateProducerIds', count });
  }

  initTransactionalProducer(request: TransactionalProducerToInit): Promise<TransactionalProducer> {
    return this.#target.submit({ kind: 'initTransactionalProducer', request });
  }

  addPartitionsToTransaction(request: PartitionsToAdd): Promise<TransactionAnswer> {
    return this.#target.submit({ kind: 'addPartitionsToTransaction', request });
  }

  addOffsetsToTransaction(request: OffsetsToAdd): Promise<TransactionAnswer> {
    return this.#target.submit({ kind: 'addOffsetsToTransaction', request });
  }

  commitTransactionOffsets(request: TransactionOffsetsToCommit): Promise<TransactionOffsetsAnswer> {
    return this.#target.lead(async ({ groups, pipeline }) => {
      const { error, ...told } = groups.admitInTransaction(request);
      if (error === 'NONE')
        return { ...(await this.#target.submit({ kind: 'commitTransactionOffsets', request })), ...told };
      const message = `the member may not commit offsets of the group "${request.groupId}" now`;
      return pipeline.ask(() => ({ error, message, offsets: [], ...told }));
    });
  }

  endTransaction(request: TransactionToEnd): Promise<TransactionalProducer> {
    return this.#target.submit({ kind: 'endTransaction', request });
  }

  describeTransactions(transactionalIds: readonly string[]): Promise<TransactionDescription[]> {
    return this.#target.lead(({ pipeline }) =>
      pipeline.ask((machine) => machine.describeTransactions(transactionalIds)),
    );
  }

  listTransactions(filter: TransactionFilter): Promise<ListedTransaction[]> {
    return this.#target.lead(({ pipeline }) =>
      pipeline.ask((machine, nowMs) => machine.listTransactions(filter, nowMs)),
    );
  }

  describeProducers(partitions: readonly TopicPartition[]): Promise<ProducersAnswer[]> {
    return this.#target.lead(({ pipeline }) =>
      pipeline.ask((machine) => machine.describeProducers(partitions)),
    );
  }

  joinGroup(request: JoinGroupRequest): Promise<JoinGroupAnswer> {
    return this.#target.lead(({ groups }) => groups.joinGroup(request));
  }

  syncGroup(request: SyncGroupRequest): Promise<SyncGroupAnswer> {
    return this.#target.lead(({ groups }) => groups.syncGroup(request));
  }

  groupHeartbeats(heartbeats: readonly GroupHeartbeat[]): Promise<GroupError[]> {
    return this.#target.lead(({ groups }) => groups.groupHeartbeats(heartbeats));
  }

  leaveGroup(request: LeaveGroupRequest): Promise<LeaveGroupAnswer> {
    return this.#target.lead(({ groups }) => groups.leaveGroup(request));
  }

  consumerGroupHeartbeats(heartbeats: readonly ConsumerHeartbeat[]): Promise<ConsumerHeartbeatAnswer[]> {
    return this.#target.lead(({ groups }) => groups.consumerGroupHeartbeats(heartbeats));
  }

  describeConsumerGroups(groupIds: readonly string[]): Promise<ConsumerGroupDescription[]> {
    return this.#target.lead(({ groups }) => groups.describeConsumerGroups(groupIds));
  }

  commitOffsets(commits: readonly OffsetsCommit[]): Promise<OffsetsCommitAnswer[]> {
    return this.#target.lead(({ groups }) => groups.commitOffsets(commits));
  }

  fetchOffsets(queries: readonly OffsetsQuery[]): Promise<OffsetsAnswer[]> {
    return this.#target.lead(({ groups }) => groups.fetchOffsets(queries));
  }

  deleteOffsets(request: OffsetsToDelete): Promise<OffsetsCommitAnswer> {
    return this.#target.lead(({ groups }) => groups.deleteOffsets(request));
  }

  describeGroups(groupIds: readonly string[]): Promise<GroupDescription[]> {
    return this.#target.lead(({ groups }) => groups.describeGroups(groupIds));
  }

  listGroups(filter: GroupFilter): Promise<GroupListing[]> {
    return this.#target.lead(({ groups }) => groups.listGroups(filter));
  }

  deleteGroups(groupIds: readonly string[]): Promise<GroupError[]> {
    return this.#target.lead(({ groups }) => groups.deleteGroups(groupIds));
  }

  shareGroupHeartbeats(heartbeats: readonly ShareHeartbeat[]): Promise<ShareHeartbeatAnswer[]> {
    return this.#target.lead(({ groups }) => groups.share.shareGroupHeartbeats(heartbeats));
  }

  describeShareGroups(groupIds: readonly string[]): Promise<ShareGroupDescription[]> {
    return this.#target.lead(({ groups }) => groups.share.describeShareGroups(groupIds));
  }

  acquireRecords(request: RecordsToAcquire): Promise<AcquireAnswer> {
    return this.#target.lead(({ groups }) => groups.share.acquireRecords(request));
  }

  acknowledgeRecords(requests: readonly RecordsToAcknowledge[]): Promise<AcknowledgeAnswer[]> {
    return this.#target.lead(({ groups }) => groups.share.acknowledgeRecords(requests));
  }

  describeShareOffsets(queries: readonly ShareOffsetsQuery[]): Promise<ShareOffsetsAnswer[]> {
    return this.#target.lead(({ groups }) => groups.share.describeShareOffsets(queries));
  }

  alterShareOffsets(request: ShareOffsetsToAlter): Promise<ShareOffsetsResult> {
    return this.#target.lead(({ groups }) => groups.share.alterShareOffsets(request));
  }

  deleteShareOffsets(request: ShareOffsetsToDelete): Promise<ShareOffsetsResult> {
    return this.#target.lead(({ groups }) => groups.share.deleteShareOffsets(request));
  }

  heartbeat(heartbeat: AgentHeartbeat): Promise<readonly AgentDescription[]> {
    return this.#target.lead(({ agents }) => agents.heartbeat(heartbeat));
  }

  listAgents(): Promise<SeenAgent[]> {
    return this.#target.lead(async ({ agents }) => agents.seen());
  }

  listClients(): Promise<AgentClients[]> {
    return this.#target.lead(async ({ agents }) => agents.clients());
  }

  leave(agentId: string): Promise<void> {
    return this.#target.lead(async ({ agents, jobLeases }) => {
      agents.leave(agentId);
      jobLeases.forget(agentId);
    });
  }

  putControlPlaneEvents(events: readonly ControlPlaneEvent[]): Promise<void> {
    return this.#target.lead(async ({ controlPlaneEvents }) => controlPlaneEvents.put(events));
  }

  takeControlPlaneEvents(wish: ControlPlaneEventsWish): Promise<ControlPlaneEventsTaken> {
    return this.#target.lead(({ controlPlaneEvents }) => controlPlaneEvents.take(wish));
  }

  lockShutdown(request: ShutdownLockRequest): Promise<boolean> {
    return this.#target.lead(async ({ shutdownLocks }) => shutdownLocks.lock(request));
  }

  unlockShutdown(agentId: string): Promise<void> {
    return this.#target.lead(async ({ shutdownLocks }) => shutdownLocks.unlock(agentId));
  }

  claimBucket(bucketId: string | null): Promise<string | null> {
    return this.#target.lead(async ({ pipeline }) => {
      const { namespace, key } = clusterFacts.bucketId;
      let claimed: string | null = null;
      const answer = pipeline.ask((machine) => {
        claimed = machine.records.get(namespace, key)?.toString() ?? null;
        return claimed;
      });
      if (claimed !== null || bucketId === null) return answer;
      // In the same turn as the question, so that no other claim comes between.
      const changes = [{ namespace, key, value: Buffer.from(bucketId) }];
      const [{ message }] = await Promise.all([this.#target.submit({ kind: 'putRecords', changes }), answer]);
      if (message !== null) throw new ClusterUnavailable(`the bucket cannot be recorded: ${message}`);
      return bucketId;
    });
  }

  runQuery(query: QueryToRun): Promise<QueryOutcome> {
    return this.#target.lead(({ queries }) => queries.run(query));
  }

  cancelQuery(queryId: string): Promise<void> {
    return this.#target.lead(async ({ queries }) => queries.cancel(queryId));
  }

  takeQuery(wish: QueryWish): Promise<TakenQuery | null> {
    return this.#target.lead(({ queries }) => queries.take(wish));
  }

  reportQuery(report: QueryReport): Promise<boolean> {
    return this.#target.lead(async ({ queries }) => queries.report(report));
  }

  holdJob(request: JobHold): Promise<boolean> {
    return this.#target.lead(async ({ jobLeases }) => jobLeases.hold(request));
  }

  /** While this process is not the leader, the follower waits until it is. */
  follow(follower: ClusterFollower): () => void {
    return this.#target.follow(follower);
  }
}
