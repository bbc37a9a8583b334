import {
  type AnswerOf,
  type ArgsOf,
  type CallKind,
  type CallName,
  clusterCalls,
  clusterConfigValue,
  filesToSend,
  groupCalls,
  migrationCopyKind,
  migrationTopicsKind,
  type PortOf,
  pipelineKind,
  schemaLinkingKind,
  secretsReplacement,
  shareCalls,
  tableIngestionKind,
  tableReplayKind,
} from '@weir/cluster';
import {
  type Command,
  type CommandKind,
  type CommandOf,
  describeAcls,
  describeQuotas,
  describeScramCredentials,
  listCredentials,
  listDelegationTokens,
  passwordDerivation,
  type Replies,
  type ReplyOf,
} from '@weir/machine';
import { machineLimits } from '@weir/machine/limits';
import { claimBucket, claimBucketPair, registerBucket } from './claim-buckets.ts';
import type { Leadership } from './leadership.ts';
import type { Machine } from './machine-kind.ts';
import { notConfirmed } from './migration-states.ts';

type NamesOf<Kind extends CallKind> = {
  [Name in CallName]: (typeof clusterCalls)[Name]['kind'] extends Kind ? Name : never;
}[CallName];

/** The commands whose reply is the answer of a call. */
type CommandAnswering<Answer> = {
  [Kind in CommandKind]: Replies[Kind] extends Answer ? CommandOf<Kind> : never;
}[CommandKind];

/** Generates a topic id. */
type FreshId = () => string;

const commands: {
  readonly [Name in NamesOf<'command'>]: (
    args: ArgsOf<Name>,
    freshId: FreshId,
  ) => CommandAnswering<AnswerOf<Name>>;
} = {
  createTopics: ([topics, { validateOnly, partitionsBefore }], freshId) => ({
    kind: 'createTopics',
    topics,
    topicIds: topics.map(() => freshId()),
    validateOnly,
    partitionsBefore,
  }),
  deleteTopics: ([topics]) => ({ kind: 'deleteTopics', topics }),
  removeTopics: ([topics]) => ({ kind: 'removeTopics', topics }),
  restoreTopics: ([topicIds]) => ({ kind: 'restoreTopics', topicIds }),
  cloneTopic: ([request], freshId) => ({ kind: 'cloneTopic', request, topicId: freshId() }),
  manageTopics: ([topics, pipelineId], freshId) => ({
    kind: 'manageTopics',
    pipelineId,
    topics,
    topicIds: topics.map(() => freshId()),
  }),
  growManagedTopics: ([topics, pipelineId]) => ({ kind: 'growManagedTopics', pipelineId, topics }),
  deleteManagedTopics: ([topicIds, pipelineId]) => ({ kind: 'deleteManagedTopics', pipelineId, topicIds }),
  setManagedConfigs: ([topics, pipelineId]) => ({ kind: 'setManagedConfigs', pipelineId, topics }),
  moveManagedLogStarts: ([starts, pipelineId]) => ({ kind: 'moveManagedLogStarts', pipelineId, starts }),
  appendCopied: ([file]) => ({ kind: 'appendCopied', file }),
  createPartitions: ([topics, { validateOnly }]) => ({ kind: 'createPartitions', topics, validateOnly }),
  alterConfigs: ([resources, { validateOnly }]) => ({ kind: 'alterConfigs', resources, validateOnly }),
  alterOwnerConfigs: ([resources, { validateOnly }]) => ({
    kind: 'alterConfigs',
    resources,
    validateOnly,
    by: 'owner',
  }),
  declareFilesDead: ([files]) => ({
    kind: 'declareFilesDead',
    fileIds: files.map(({ fileId }) => fileId),
    fileBytes: files.map(({ byteCount }) => byteCount),
  }),
  forgetDeadFiles: ([fileIds]) => ({ kind: 'forgetDeadFiles', fileIds }),
  holdFiles: ([cloneId]) => ({ kind: 'holdFiles', cloneId }),
  holdListedFiles: ([cloneId, fileIds]) => ({ kind: 'holdFiles', cloneId, fileIds }),
  confirmHold: ([cloneId, heldMs]) => ({ kind: 'confirmHold', cloneId, heldMs }),
  abandonHold: ([cloneId]) => ({ kind: 'abandonHold', cloneId }),
  releaseHeldFiles: ([cloneId, fileIds]) => ({ kind: 'releaseHeldFiles', cloneId, fileIds }),
  endHold: ([cloneId]) => ({ kind: 'endHold', cloneId }),
  forgetUnneededFiles: ([fileIds]) => ({ kind: 'forgetUnneededFiles', fileIds }),
  replaceRanges: ([commit]) => ({ kind: 'replaceRanges', commit }),
  deleteRecords: ([partitions]) => ({ kind: 'deleteRecords', partitions }),
  alterClientQuotas: ([entities, { validateOnly }]) => ({
    kind: 'alterClientQuotas',
    entities,
    validateOnly,
  }),
  alterScramCredentials: ([changes]) => ({ kind: 'alterScramCredentials', changes }),
  putCredentials: ([credentials]) => ({ kind: 'putCredentials', credentials }),
  deleteCredentials: ([usernames]) => ({ kind: 'deleteCredentials', usernames }),
  rotatePassword: ([rotation]) => ({ kind: 'rotatePassword', rotation }),
  endOldPassword: ([username]) => ({ kind: 'endOldPassword', username }),
  renewDelegationToken: ([change]) => ({ kind: 'renewDelegationToken', change }),
  expireDelegationToken: ([change]) => ({ kind: 'expireDelegationToken', change }),
  createAcls: ([acls]) => ({ kind: 'createAcls', acls }),
  deleteAcls: ([filters]) => ({ kind: 'deleteAcls', filters }),
  allocateProducerIds: ([count]) => ({ kind: 'allocateProducerIds', count }),
  initTransactionalProducer: ([request]) => ({ kind: 'initTransactionalProducer', request }),
  addPartitionsToTransaction: ([request]) => ({ kind: 'addPartitionsToTransaction', request }),
  addOffsetsToTransaction: ([request]) => ({ kind: 'addOffsetsToTransaction', request }),
  endTransaction: ([request]) => ({ kind: 'endTransaction', request }),
  changeRegistry: ([request]) => ({ kind: 'changeRegistry', request }),
};

const queries: {
  readonly [Name in NamesOf<'query'>]: (
    machine: Machine,
    args: ArgsOf<Name>,
    nowMs: number,
  ) => AnswerOf<Name>;
} = {
  findBatches: (machine, [wanted]) => machine.findBatches(wanted),
  findOffsets: (machine, [wanted]) => machine.findOffsets(wanted),
  clusterConfigs: (machine) => machine.clusterConfigs(),
  describeTopics: (machine, [topics]) => machine.describeTopics(topics),
  describePartitions: (machine, [topics]) => machine.describePartitions(topics),
  countResources: (machine) => machine.countResources(),
  listDeletedTopics: (machine, _, nowMs) => machine.deletedTopics(nowMs),
  describeConfigs: (machine, [resources]) => resources.map((resource) => machine.storedConfigs(resource)),
  listConfigResources: (machine, [kind]) => machine.storedConfigNames(kind),
  logSizes: (machine, [topicIds]) => machine.logSizes(topicIds),
  estimateRetention: (machine, [request, from], nowMs) => machine.estimateRetention(request, from, nowMs),
  countFiles: (machine) => machine.countFiles(),
  unknownFiles: (machine, [fileIds]) => machine.unknownFiles(fileIds),
  listHolds: (machine) => machine.holds(),
  listUnneededFiles: (machine, _, nowMs) => {
    // As for the clone's own files: readers may still have the pointers.
    const delayMs = clusterConfigValue('service.file.delete.delay.ms', machine.clusterConfigs());
    return machine.unneededFiles({ deadBeforeMs: nowMs - delayMs, limit: machineLimits.fileIdsPerCallMax });
  },
  fileTotals: (machine) => ({
    ...machine.fileStats(),
    oldestDeadMs: machine.deadFiles({ deadBeforeMs: Number.POSITIVE_INFINITY, limit: 1 })[0]?.deadMs ?? null,
  }),
  describeClientQuotas: (machine, [filter]) => describeQuotas(machine.kv, filter),
  describeScramCredentials: (machine, [users]) => describeScramCredentials(machine.kv, users),
  listDelegationTokens: (machine) => listDelegationTokens(machine.kv),
  passwordDerivation: (machine, [username]) => passwordDerivation(machine.kv, username),
  describeAcls: (machine, [filter]) => describeAcls(machine.kv, filter),
  describeTransactions: (machine, [transactionalIds]) => machine.describeTransactions(transactionalIds),
  listTransactions: (machine, [filter], nowMs) => machine.listTransactions(filter, nowMs),
  describeProducers: (machine, [partitions]) => machine.describeProducers(partitions),
  readRegistry: (machine, [request]) => machine.readRegistry(request),
};

/** The leader, as seen by one request. */
interface RequestContext {
  readonly leadership: Leadership;
  readonly freshId: FreshId;
  /** Executes a command; resolves when it is durable. A repeated request returns the first reply. */
  submit<C extends Command>(command: C): Promise<ReplyOf<C>>;
}

type LeaderAnswers<Name extends CallName> = {
  readonly [N in Name]: (context: RequestContext, ...args: ArgsOf<N>) => Promise<AnswerOf<N>> | AnswerOf<N>;
};

const leaderCalls: LeaderAnswers<NamesOf<'leader'>> = {
  ...answeredBy(groupCalls, ({ groups }) => groups),
  ...answeredBy(shareCalls, ({ groups }) => groups.share),

  commitFiles: ({ leadership, submit }, wanted) => {
    const files = filesToSend(wanted);
    if (files.length === 0) return [];
    leadership.autoScaler.note(files);
    return submit({ kind: 'commitFiles', files });
  },

  commitTransactionOffsets: async ({ leadership, submit }, request) => {
    const { groups, pipeline } = leadership;
    const { error, ...admission } = groups.admitInTransaction(request);
    if (error === 'NONE')
      return { ...(await submit({ kind: 'commitTransactionOffsets', request })), ...admission };
    const message = `the member cannot commit offsets of group "${request.groupId}" now`;
    return pipeline.ask(() => ({ error, message, offsets: [], ...admission }));
  },

  heartbeat: ({ leadership }, heartbeat) => leadership.agents.heartbeat(heartbeat),
  leave: ({ leadership: { agents, jobLeases, jobs } }, agentId) => {
    agents.leave(agentId);
    jobLeases.forget(agentId);
    jobs.forget(agentId);
  },
  listAgents: ({ leadership }) => leadership.agents.seen(),
  listClients: ({ leadership }) => leadership.agents.clients(),
  lockShutdown: ({ leadership }, request) => leadership.shutdownLocks.lock(request),
  unlockShutdown: ({ leadership }, agentId) => leadership.shutdownLocks.unlock(agentId),
  claimBucket,
  registerBucket,
  claimBucketPair,

  keepFileSequences: ({ leadership }, agentId, sequences) =>
    leadership.fileSequences.keep(agentId, sequences),
  closeFileSequences: ({ leadership }, sequenceIds) => leadership.fileSequences.close(sequenceIds),

  describeJournal: ({ leadership: { pipeline } }) => pipeline.ask(() => pipeline.journal),
  listCredentials: ({ leadership: { agents, pipeline } }) =>
    pipeline.ask((machine, nowMs) => {
      const { loginMs: seenMs, oldPasswordLoginMs: seenOldMs } = agents.logins;
      return listCredentials(machine.kv, nowMs, { seenMs, seenOldMs });
    }),
  createDelegationToken: async ({ leadership, submit }, token, hmac) => {
    const sealedHmac = await leadership.sealToken(token.tokenId, hmac);
    if (sealedHmac !== undefined)
      return submit({ kind: 'createDelegationToken', token: { ...token, sealedHmac } });
    const message = 'The control plane has no sealing keys.';
    const answer = { issuedMs: -1, expiresMs: -1, endsMs: -1, message };
    return leadership.pipeline.ask(() => ({ error: 'DELEGATION_TOKEN_AUTH_DISABLED', ...answer }));
  },
  openDelegationTokens: ({ leadership }, tokenIds) => leadership.openTokens(tokenIds),
  replaceSecrets: async ({ submit, freshId }) => {
    const changes = [{ ...secretsReplacement.asked, value: Buffer.from(freshId()) }];
    const { message } = await submit({ kind: 'putEntries', changes });
    if (message !== null) throw new Error(message);
  },

  putControlPlaneEvents: ({ leadership }, events) => leadership.controlPlaneEvents.put(events),
  takeControlPlaneEvents: ({ leadership }, request) => leadership.controlPlaneEvents.take(request),
  runQuery: ({ leadership }, query) => leadership.queries.run(query),
  cancelQuery: ({ leadership }, queryId) => leadership.queries.cancel(queryId),
  takeQuery: ({ leadership }, request) => leadership.queries.take(request),
  reportQuery: ({ leadership }, report) => leadership.queries.report(report),
  claimJobs: ({ leadership }, claim) => leadership.jobs.claim(claim),
  reportJob: ({ leadership }, report) => leadership.jobs.report(report),
  reportJobs: ({ leadership }, reports) => leadership.jobs.reportMany(reports),
  planPipelines: async ({ leadership }) =>
    leadership.jobs.planSoon(
      pipelineKind,
      schemaLinkingKind,
      tableIngestionKind,
      tableReplayKind,
      migrationTopicsKind,
      migrationCopyKind,
    ),
  listJobs: ({ leadership }) => leadership.jobs.list(),
  unusableSecrets: ({ leadership }, names) => leadership.unusableSecrets(names),
  sealSettings: ({ leadership }, exporter, settings) => leadership.sealSettings(exporter, settings),
  reportTables: ({ leadership }, report) => leadership.tables.receive(report),
  listReportedTables: ({ leadership }) => leadership.tables.list(),
  describeReportedTable: ({ leadership }, tableUuid) => leadership.tables.get(tableUuid) ?? null,
  reportMigration: ({ leadership }, report) => leadership.migrations.receive(report),
  describeReportedMigration: ({ leadership }, pipelineId) => leadership.migrations.get(pipelineId),
  changeMigrationStates: ({ leadership, submit }, changes) => {
    const problem = leadership.migrationStates.problemOf(changes);
    if (problem !== undefined) return leadership.pipeline.ask(() => notConfirmed(problem));
    return submit({ kind: 'changeMigrationStates', changes });
  },
  commitCopiedOffsets: ({ leadership }, groups, pipelineId) =>
    leadership.groups.commitCopiedOffsets(groups, pipelineId),
  listManagedTopics: ({ leadership: { pipeline, migrationStates } }, query) =>
    pipeline.ask(() => migrationStates.list(query)),
  openMigrationSource: ({ leadership }, pipelineId) => leadership.openMigrationSource(pipelineId),
  confirmMigrationStates: ({ leadership }, agentId, topics) =>
    leadership.migrationStates.confirm(agentId, topics),
  readSeries: ({ leadership }, query) => leadership.series.read(query),
  describeHealth: ({ leadership }) => leadership.health,
  describeActivity: ({ leadership }, groupsMax) => leadership.activity(groupsMax),
  storageTraffic: ({ leadership }, spanMs) => leadership.storageTraffic(spanMs),
  compactionBacklog: ({ leadership }, beforeMs) => leadership.compactionBacklog(beforeMs),
  holdJob: ({ leadership }, request) => leadership.jobLeases.hold(request),
};

/**
 * Answers a call of the port. With a request id, a repeated request returns the first answer, on any leader. Never
 * throws. Not an async function: the promise of the pipeline is the answer, without further ones around it.
 */
export function answerCall(
  leadership: Leadership,
  name: CallName,
  args: readonly unknown[],
  freshId: FreshId,
  requestId?: string,
): Promise<unknown> {
  try {
    const answer = startAnswer(leadership, name, args, freshId, requestId);
    return answer instanceof Promise ? answer : Promise.resolve(answer);
  } catch (error) {
    return Promise.reject(error);
  }
}

function startAnswer(
  leadership: Leadership,
  name: CallName,
  args: readonly unknown[],
  freshId: FreshId,
  requestId: string | undefined,
): unknown {
  const { pipeline } = leadership;
  switch (clusterCalls[name].kind) {
    case 'command': {
      const toCommand = commands[name as NamesOf<'command'>] as (
        given: readonly unknown[],
        freshId: FreshId,
      ) => Command;
      return pipeline.submit(toCommand(args, freshId), requestId);
    }
    case 'query': {
      const ask = queries[name as NamesOf<'query'>] as (
        machine: Machine,
        given: readonly unknown[],
        nowMs: number,
      ) => unknown;
      return pipeline.ask((machine, nowMs) => ask(machine, args, nowMs));
    }
    case 'leader': {
      const answer = leaderCalls[name as NamesOf<'leader'>] as (
        context: RequestContext,
        ...given: readonly unknown[]
      ) => unknown;
      const context: RequestContext = {
        leadership,
        freshId,
        submit: (command) => pipeline.submit(command, requestId),
      };
      return answer(context, ...args);
    }
  }
}

/** The calls of a table that one component of the leader answers under the same names. */
function answeredBy<Table extends Partial<typeof clusterCalls>>(
  table: Table,
  part: (leadership: Leadership) => PortOf<Table>,
): LeaderAnswers<keyof Table & CallName> {
  const rows = Object.keys(table).map((name) => [
    name,
    ({ leadership }: RequestContext, ...args: readonly unknown[]) => {
      const answering = part(leadership) as Record<string, (...given: readonly unknown[]) => unknown>;
      return answering[name]!(...args);
    },
  ]);
  return Object.fromEntries(rows) as LeaderAnswers<keyof Table & CallName>;
}
