import type { ClusterChange } from '@weir/cluster';
import { decideCreateAcls } from './acls/create-acls.ts';
import { decideDeleteAcls } from './acls/delete-acls.ts';
import { decideAlterClusterConfigs } from './alter-cluster-configs.ts';
import { decideAlterConfigs, writeConfigsAltered } from './alter-configs.ts';
import { applyEntry } from './apply-entry.ts';
import { ByteWriter } from './bytes/byte-writer.ts';
import type { ClusterState } from './cluster-state.ts';
import { type CommandKind, type CommandOf, MalformedCommand, type Replies } from './command.ts';
import { commitFiles } from './commit/commit-files.ts';
import { checkFileCommit } from './commit/file-commit-check.ts';
import { writeConfigChanges } from './config-changes.ts';
import { decideNoteLogins } from './credentials/credential-use.ts';
import { decideDeleteCredentials, decidePutCredentials } from './credentials/credentials.ts';
import { decideCreateToken, decideExpireToken, decideRenewToken } from './credentials/delegation-tokens.ts';
import { decideEndOldPassword, decideRotatePassword } from './credentials/rotate-password.ts';
import { decideAlterScramCredentials } from './credentials/scram-credentials.ts';
import { type EntryKind, entryKind } from './entry-kind.ts';
import {
  checkCloneId,
  decideForgetUnneeded,
  decideHoldListed,
  decideRelease,
  holdProblem,
  writeFileIds,
  writeFilesHeld,
  writeHeldFilesReleased,
} from './files/clone-holds.ts';
import { checkCompactionCommit } from './files/compaction-commit-check.ts';
import {
  checkFileIds,
  committableFromMs,
  decideDeclareFilesDead,
  decideForgetDeadFiles,
  writeDeadFilesForgotten,
  writeFilesDeclaredDead,
} from './files/dead-files.ts';
import {
  decideReplaceRanges,
  filesToWrite,
  writeKeysCompacted,
  writeRangesReplaced,
} from './files/replace-ranges.ts';
import { decidePutEntries, type EntryChange, writeEntriesPut } from './kv/put-entries.ts';
import { producerIdMax } from './log/marker.ts';
import { decideDeleteRecords } from './log-start/delete-records.ts';
import { writeLogStartsMoved } from './log-start/log-starts.ts';
import { decideRetention } from './log-start/retention.ts';
import type { MachineLimits } from './machine-limits.ts';
import { decideAppendCopied, writeCopiesAppended } from './migration/append-copied.ts';
import { decideChangeStates, decideExpireStates, writeCopiesEnded } from './migration/change-states.ts';
import { admitCopiedOffsets } from './migration/copied-offsets.ts';
import { decideManagedLogStarts } from './migration/log-starts.ts';
import {
  decideDeleteManaged,
  decideGrowManagedTopics,
  decideManagedConfigs,
  decideManageTopics,
  writeManagedTopicsCreated,
  writeManagedTopicsGrown,
} from './migration/manage-topics.ts';
import { decideAssignNodeId } from './node-ids/node-ids.ts';
import { decideCommitOffsets, layoutOfCommit, writeOffsetsCommitted } from './offsets/commit-offsets.ts';
import { decideForgetOffsets, writeOffsetsForgotten } from './offsets/forget-offsets.ts';
import { layoutOf } from './offsets/offset-field.ts';
import { decidePurge, writePurged } from './purge.ts';
import { decideAlterClientQuotas } from './quotas/alter-quotas.ts';
import { decideChangeRegistry, writeRegistryChanged } from './registry/change-registry.ts';
import { checkTopicToClone, decideCloneTopic, writeTopicCloned } from './topics/clone-topic.ts';
import { decideCreatePartitions } from './topics/create-partitions.ts';
import { decideCreateTopics } from './topics/create-topics.ts';
import { decideDeleteTopics } from './topics/delete-topics.ts';
import { decideRestoreTopics } from './topics/restore-topics.ts';
import {
  writePartitionsCreated,
  writeReplicatedTopicsCreated,
  writeTopicsCreated,
  writeTopicsDeleted,
  writeTopicsRestored,
} from './topics/topic-entries.ts';
import {
  decideAddOffsets,
  decideAddPartitions,
  decideCommitTransactionOffsets,
  writeGroupAdded,
  writePartitionsAdded,
  writeTransactionOffsets,
} from './transactions/add-to-transaction.ts';
import { decideEndTransaction, writeTransactionEnded } from './transactions/end-transaction.ts';
import { decideExpiry, writeExpired } from './transactions/expire-transactions.ts';
import { decideInitProducer, writeProducerInit } from './transactions/init-producer.ts';
import { checkOrigin, writeOriginNoted } from './transactions/origin.ts';

/** Result of a command; it has an entry only if something changed. */
export interface Outcome<Kind extends CommandKind> {
  readonly reply: Replies[Kind];
  readonly entry?: Buffer;
  readonly changes?: readonly ClusterChange[];
}

/** Context of a command: the state, and the entry being written. */
export class CommandWork {
  readonly state: ClusterState;
  readonly limits: MachineLimits;
  readonly writer = new ByteWriter();

  constructor(state: ClusterState, limits: MachineLimits) {
    this.state = state;
    this.limits = limits;
  }

  begin(kind: EntryKind, nowMs: number): void {
    this.writer.u8(entryKind[kind]);
    this.writer.varint(nowMs);
  }

  /** Completes the entry and applies it exactly as a follower will. */
  applied<Reply>(reply: Reply): { reply: Reply; entry: Buffer; changes: readonly ClusterChange[] } {
    const entry = this.writer.take();
    return { reply, entry, changes: applyEntry(this.state, entry) };
  }

  entriesPut<Reply>(changed: readonly EntryChange[], reply: Reply, nowMs: number) {
    if (changed.length === 0) return { reply };
    this.begin('entriesPut', nowMs);
    writeEntriesPut(this.writer, changed);
    return this.applied(reply);
  }
}

/** How each kind of command is decided and journaled. */
export const executors: {
  readonly [Kind in CommandKind]: (
    work: CommandWork,
    command: CommandOf<Kind>,
    nowMs: number,
  ) => Outcome<Kind>;
} = {
  commitFiles: (work, { files }, nowMs) => {
    for (const file of files) checkFileCommit(file);
    const state = work.state;
    if (files.every(({ fileId }) => state.recentFiles.has(fileId))) {
      return { reply: files.map(({ fileId }) => state.recentFiles.replyOf(fileId)!) };
    }
    state.nowMs = nowMs;
    const hasTransactions = files.some(({ transactions }) => transactions !== undefined);
    work.begin(hasTransactions ? 'transactionalFilesCommitted' : 'filesCommitted', nowMs);
    const { results, changes } = commitFiles(state, work.limits, files, work.writer);
    return { reply: results, entry: work.writer.take(), changes };
  },

  createTopics: (work, { topics, topicIds, validateOnly, partitionsBefore }, nowMs) => {
    checkFreshIds(work.state, topicIds, topics.length);
    const before = validateOnly ? partitionsBefore : 0;
    const { created, results } = decideCreateTopics(work.state, work.limits, topics, topicIds, nowMs, before);
    if (validateOnly || created.length === 0) return { reply: results };
    // Most topics have the default factor, which the older layout implies and older releases can read.
    if (created.every(({ replicationFactor }) => replicationFactor === undefined)) {
      work.begin('topicsCreated', nowMs);
      writeTopicsCreated(work.writer, created);
    } else {
      work.begin('replicatedTopicsCreated', nowMs);
      writeReplicatedTopicsCreated(work.writer, created);
    }
    return work.applied(results);
  },

  deleteTopics: (work, { topics }, nowMs) => {
    const { deleted, results } = decideDeleteTopics(work.state, topics);
    if (deleted.length === 0) return { reply: results };
    work.begin('topicsDeleted', nowMs);
    writeTopicsDeleted(work.writer, deleted);
    return work.applied(results);
  },

  removeTopics: (work, { topics }, nowMs) => {
    const { deleted, results } = decideDeleteTopics(work.state, topics);
    if (deleted.length === 0) return { reply: results };
    work.begin('topicsRemoved', nowMs);
    writeTopicsDeleted(work.writer, deleted);
    return work.applied(results);
  },

  restoreTopics: (work, { topicIds }, nowMs) => {
    const { restored, results } = decideRestoreTopics(work.state, work.limits, topicIds, nowMs);
    if (restored.length === 0) return { reply: results };
    work.begin('topicsRestored', nowMs);
    writeTopicsRestored(work.writer, restored);
    return work.applied(results);
  },

  cloneTopic: (work, { request, topicId }, nowMs) => {
    checkTopicToClone(request);
    checkFreshIds(work.state, [topicId], 1);
    const { clone, result } = decideCloneTopic(work.state, work.limits, request, topicId, nowMs);
    if (clone === undefined) return { reply: result };
    work.begin('topicCloned', nowMs);
    writeTopicCloned(work.writer, clone);
    const applied = work.applied(result);
    // Read after the entry is applied: markers may follow the decided ends.
    const { partitions } = work.state.topics.byId(topicId)!;
    const logStartOffset = Float64Array.from(partitions, (log) => log.logStartOffset);
    const nextOffset = Float64Array.from(partitions, (log) => log.nextOffset);
    return { ...applied, reply: { ...result, logStartOffset, nextOffset } };
  },

  createPartitions: (work, { topics, validateOnly }, nowMs) => {
    const { grown, results } = decideCreatePartitions(work.state, work.limits, topics);
    if (validateOnly || grown.length === 0) return { reply: results };
    work.begin('partitionsCreated', nowMs);
    writePartitionsCreated(work.writer, grown);
    return work.applied(results);
  },

  manageTopics: (work, { pipelineId, topics, topicIds }, nowMs) => {
    checkFreshIds(work.state, topicIds, topics.length);
    const { created, results } = decideManageTopics(
      work.state,
      work.limits,
      pipelineId,
      topics,
      topicIds,
      nowMs,
    );
    if (created.length === 0) return { reply: results };
    work.begin('managedTopicsCreated', nowMs);
    writeManagedTopicsCreated(work.writer, created);
    return work.applied(results);
  },

  growManagedTopics: (work, { pipelineId, topics }, nowMs) => {
    const { grown, results } = decideGrowManagedTopics(work.state, work.limits, pipelineId, topics);
    if (grown.length === 0) return { reply: results };
    work.begin('managedTopicsGrown', nowMs);
    writeManagedTopicsGrown(work.writer, grown);
    return work.applied(results);
  },

  deleteManagedTopics: (work, { pipelineId, topicIds }, nowMs) => {
    const { deleted, results } = decideDeleteManaged(work.state, pipelineId, topicIds);
    if (deleted.length === 0) return { reply: results };
    work.begin('topicsDeleted', nowMs);
    writeTopicsDeleted(work.writer, deleted);
    return work.applied(results);
  },

  setManagedConfigs: (work, { pipelineId, topics }, nowMs) => {
    const { changes, results } = decideManagedConfigs(work.state, pipelineId, topics);
    if (changes.size === 0) return { reply: results };
    work.begin('configsAltered', nowMs);
    writeConfigsAltered(work.writer, { topics: changes, cluster: {}, records: [] });
    return work.applied(results);
  },

  moveManagedLogStarts: (work, { pipelineId, starts: wanted }, nowMs) => {
    const { starts, results } = decideManagedLogStarts(work.state, pipelineId, wanted);
    if (starts.size === 0) return { reply: results };
    work.begin('managedLogStartsMoved', nowMs);
    writeLogStartsMoved(work.writer, starts);
    return work.applied(results);
  },

  appendCopied: (work, { file }, nowMs) => {
    const decision = decideAppendCopied(work.state, work.limits, file, nowMs);
    const { appended, isDead, result } = decision;
    if (appended.length === 0 && !isDead) return { reply: result };
    work.begin('copiesAppended', nowMs);
    writeCopiesAppended(work.writer, file, decision);
    return work.applied(result);
  },

  changeMigrationStates: (work, { changes }, nowMs) => {
    const decision = decideChangeStates(work.state, work.limits, changes, nowMs);
    const { changed, cut, answer } = decision;
    if (cut.length === 0) return work.entriesPut(changed, answer, nowMs);
    work.begin('copiesEnded', nowMs);
    writeCopiesEnded(work.writer, decision);
    return work.applied(answer);
  },

  expireMigrationStates: (work, _command, nowMs) => {
    const changed = decideExpireStates(work.state, work.limits, nowMs);
    return work.entriesPut(changed, changed.length, nowMs);
  },

  commitCopiedOffsets: (work, { pipelineId, groups }, nowMs) => {
    const { admitted, errors } = admitCopiedOffsets(work.state, pipelineId, groups, nowMs);
    const { committed, results } = decideCommitOffsets(
      work.state,
      work.limits,
      admitted.map(({ offsets }) => offsets),
      nowMs,
    );
    for (const [index, { group, rows }] of admitted.entries())
      for (const [at, row] of rows.entries()) errors[group]![row] = results[index]![at]!;
    if (committed.length === 0) return { reply: errors };
    const layout = layoutOfCommit(committed);
    work.begin(layout === 'signed' ? 'signedOffsetsCommitted' : 'offsetsCommitted', nowMs);
    writeOffsetsCommitted(work.writer, committed, layout);
    return work.applied(errors);
  },

  allocateProducerIds: (work, { count }, nowMs) => {
    const { producerIdsPerCallMax } = work.limits;
    if (!Number.isInteger(count) || count < 1 || count > producerIdsPerCallMax) {
      throw new MalformedCommand(
        `${count} producer ids requested; 1 to ${producerIdsPerCallMax} are allowed per call`,
      );
    }
    const first = work.state.nextProducerId;
    if (first + count > allocatedProducerIdMax) throw new MalformedCommand('all producer ids are in use');
    work.begin('producerIdsAllocated', nowMs);
    work.writer.varint(count);
    return work.applied(first);
  },

  alterClusterConfigs: (work, { configs }, nowMs) => {
    const { changed, problem } = decideAlterClusterConfigs(work.state, configs);
    if (problem !== undefined) return { reply: { error: 'INVALID_CONFIG', message: problem } };
    const reply = { error: 'NONE', message: null } as const;
    if (Object.keys(changed).length === 0) return { reply };
    work.begin('clusterConfigsAltered', nowMs);
    writeConfigChanges(work.writer, changed);
    return work.applied(reply);
  },

  putEntries: (work, { changes }, nowMs) => {
    const { changed, problem } = decidePutEntries(work.state, work.limits, changes);
    if (problem !== undefined) return { reply: { error: 'POLICY_VIOLATION', message: problem } };
    return work.entriesPut(changed, { error: 'NONE', message: null }, nowMs);
  },

  alterClientQuotas: (work, { entities, validateOnly }, nowMs) => {
    const { changed, results } = decideAlterClientQuotas(work.state, work.limits, entities);
    return work.entriesPut(validateOnly ? [] : changed, results, nowMs);
  },

  alterScramCredentials: (work, { changes, by = 'client' }, nowMs) => {
    const { changed, results } = decideAlterScramCredentials(work.state, work.limits, changes, by, nowMs);
    return work.entriesPut(changed, results, nowMs);
  },

  putCredentials: (work, { credentials }, nowMs) => {
    const { changed, results } = decidePutCredentials(work.state, work.limits, credentials, nowMs);
    return work.entriesPut(changed, results, nowMs);
  },

  deleteCredentials: (work, { usernames }, nowMs) => {
    const { changed, results } = decideDeleteCredentials(work.state, work.limits, usernames);
    return work.entriesPut(changed, results, nowMs);
  },

  rotatePassword: (work, { rotation }, nowMs) => {
    const { changed, result } = decideRotatePassword(work.state, work.limits, rotation, nowMs);
    return work.entriesPut(changed, result, nowMs);
  },

  endOldPassword: (work, { username }, nowMs) => {
    const { changed, result } = decideEndOldPassword(work.state, work.limits, username, nowMs);
    return work.entriesPut(changed, result, nowMs);
  },

  createDelegationToken: (work, { token }, nowMs) => {
    const { changed, result } = decideCreateToken(work.state, work.limits, token, nowMs);
    return work.entriesPut(changed, result, nowMs);
  },

  renewDelegationToken: (work, { change }, nowMs) => {
    const { changed, result } = decideRenewToken(work.state, work.limits, change, nowMs);
    return work.entriesPut(changed, result, nowMs);
  },

  expireDelegationToken: (work, { change }, nowMs) => {
    const { changed, result } = decideExpireToken(work.state, work.limits, change, nowMs);
    return work.entriesPut(changed, result, nowMs);
  },

  noteLogins: (work, { logins }, nowMs) => {
    const { changed, problem } = decideNoteLogins(work.state, work.limits, logins, nowMs);
    if (problem !== undefined) return { reply: { error: 'POLICY_VIOLATION', message: problem } };
    return work.entriesPut(changed, { error: 'NONE', message: null }, nowMs);
  },

  assignNodeId: (work, { request }, nowMs) => {
    const { nodeId, changed, problem } = decideAssignNodeId(work.state, work.limits, request, nowMs);
    return work.entriesPut(changed, { nodeId, message: problem ?? null }, nowMs);
  },

  createAcls: (work, { acls }, nowMs) => {
    const { changed, results } = decideCreateAcls(work.state, work.limits, acls);
    return work.entriesPut(changed, results, nowMs);
  },

  deleteAcls: (work, { filters }, nowMs) => {
    const { changed, results } = decideDeleteAcls(work.state, work.limits, filters);
    return work.entriesPut(changed, results, nowMs);
  },

  commitOffsets: (work, { groups }, nowMs) => {
    const { committed, results } = decideCommitOffsets(work.state, work.limits, groups, nowMs);
    if (committed.length === 0) return { reply: results };
    const layout = layoutOfCommit(committed);
    work.begin(layout === 'signed' ? 'signedOffsetsCommitted' : 'offsetsCommitted', nowMs);
    writeOffsetsCommitted(work.writer, committed, layout);
    return work.applied(results);
  },

  forgetOffsets: (work, { groups }, nowMs) => {
    const forgotten = decideForgetOffsets(work.state, groups);
    const reply = forgotten.reduce((sum, { partitions }) => sum + (partitions?.length ?? 0), 0);
    if (forgotten.length === 0) return { reply };
    work.begin('offsetsForgotten', nowMs);
    writeOffsetsForgotten(work.writer, forgotten);
    return work.applied(reply);
  },

  initTransactionalProducer: (work, { request }, nowMs) => {
    const { answer, init } = decideInitProducer(work.state, work.limits, request);
    if (init === undefined) return { reply: answer };
    work.begin('transactionalProducerInit', nowMs);
    writeProducerInit(work.writer, init);
    return work.applied(answer);
  },

  addPartitionsToTransaction: (work, { request }, nowMs) => {
    checkOrigin(request.origin, work.limits);
    const { answer, addition } = decideAddPartitions(work.state, work.limits, request);
    if (addition === undefined) return { reply: answer };
    work.begin('transactionPartitionsAdded', nowMs);
    writePartitionsAdded(work.writer, addition);
    return work.applied(answer);
  },

  addOffsetsToTransaction: (work, { request }, nowMs) => {
    checkOrigin(request.origin, work.limits);
    const { answer, addition } = decideAddOffsets(work.state, work.limits, request);
    if (addition === undefined) return { reply: answer };
    work.begin('transactionGroupAdded', nowMs);
    writeGroupAdded(work.writer, addition);
    return work.applied(answer);
  },

  commitTransactionOffsets: (work, { request }, nowMs) => {
    const { answer, addition } = decideCommitTransactionOffsets(work.state, work.limits, request);
    if (addition === undefined) return { reply: answer };
    const layout = layoutOf(addition.rows);
    const kind = layout === 'signed' ? 'signedTransactionOffsetsCommitted' : 'transactionOffsetsCommitted';
    work.begin(kind, nowMs);
    writeTransactionOffsets(work.writer, addition, layout);
    return work.applied(answer);
  },

  endTransaction: (work, { request }, nowMs) => {
    checkOrigin(request.origin, work.limits);
    const decision = decideEndTransaction(work.state, request);
    switch (decision.kind) {
      case 'answer':
        return { reply: decision.answer };
      case 'doubt':
        work.begin('transactionOriginNoted', nowMs);
        writeOriginNoted(work.writer, decision.transaction, request.origin);
        return work.applied(decision.answer);
      case 'end': {
        const { producerId, epoch: producerEpoch } = decision.end.holder;
        work.begin('transactionEnded', nowMs);
        writeTransactionEnded(work.writer, decision.end);
        return work.applied({ error: 'NONE', message: null, producerId, producerEpoch });
      }
    }
  },

  expireTransactions: (work, _command, nowMs) => {
    const expiry = decideExpiry(work.state, work.limits, nowMs);
    const reply = { aborted: expiry.timedOut.length, forgottenIds: expiry.forgotten.length };
    if (reply.aborted + reply.forgottenIds === 0) return { reply };
    work.begin('transactionsExpired', nowMs);
    writeExpired(work.writer, expiry);
    return work.applied(reply);
  },

  alterConfigs: (work, { resources, validateOnly, by = 'client' }, nowMs) => {
    const { alteration, results } = decideAlterConfigs(work.state, work.limits, resources, by);
    if (validateOnly || alteration === undefined) return { reply: results };
    work.begin('configsAltered', nowMs);
    writeConfigsAltered(work.writer, alteration);
    return work.applied(results);
  },

  deleteRecords: (work, { partitions }, nowMs) => {
    const { starts, results } = decideDeleteRecords(work.state, partitions);
    if (starts.size === 0) return { reply: results };
    work.begin('logStartsMoved', nowMs);
    writeLogStartsMoved(work.writer, starts);
    return work.applied(results);
  },

  applyRetention: (work, { from }, nowMs) => {
    const { starts, next } = decideRetention(work.state, work.limits, from, nowMs);
    const reply = { moved: starts.size, next };
    if (starts.size === 0) return { reply };
    work.begin('logStartsMoved', nowMs);
    writeLogStartsMoved(work.writer, starts);
    return work.applied(reply);
  },

  replaceRanges: (work, { commit }, nowMs) => {
    checkCompactionCommit(commit);
    const decision = decideReplaceRanges(work.state, work.limits, commit, nowMs);
    const { compacted, result } = decision;
    const files = filesToWrite(commit, decision);
    if (result.outcome === 'repeated' || files.length === 0) return { reply: result };
    work.begin(compacted === undefined ? 'rangesReplaced' : 'keysCompacted', nowMs);
    writeRangesReplaced(work.writer, commit, files, decision);
    if (compacted !== undefined) writeKeysCompacted(work.writer, compacted);
    return work.applied(result);
  },

  forgetDeadFiles: (work, { fileIds }, nowMs) => {
    checkFileIds(fileIds, work.limits);
    const forgotten = decideForgetDeadFiles(work.state, fileIds);
    if (forgotten.length === 0) return { reply: 0 };
    work.begin('deadFilesForgotten', nowMs);
    writeDeadFilesForgotten(work.writer, committableFromMs(work.limits, nowMs), forgotten);
    return work.applied(forgotten.length);
  },

  declareFilesDead: (work, { fileIds, fileBytes = [] }, nowMs) => {
    checkFileIds(fileIds, work.limits);
    const declared = decideDeclareFilesDead(work.state, fileIds, fileBytes);
    const reply = declared.map(({ fileId }) => fileId);
    if (reply.length === 0) return { reply };
    work.begin('filesDeclaredDead', nowMs);
    writeFilesDeclaredDead(work.writer, declared);
    return work.applied(reply);
  },

  holdFiles: (work, { cloneId, fileIds }, nowMs) => {
    checkCloneId(work.state, cloneId);
    if (fileIds !== undefined) checkFileIds(fileIds, { ...work.limits, fileIdsPerCallMax: fileIds.length });
    const message = holdProblem(work.state, work.limits, cloneId) ?? null;
    const isKnown = work.state.files.holds.get(cloneId) !== undefined;
    const listed = fileIds && decideHoldListed(work.state, cloneId, fileIds);
    if (message !== null || (isKnown && (listed === undefined || listed.length === 0)))
      return { reply: { message } };
    work.begin('filesHeld', nowMs);
    writeFilesHeld(work.writer, cloneId, listed);
    return work.applied({ message });
  },

  confirmHold: (work, { cloneId, heldMs }, nowMs) => {
    const hold = work.state.files.holds.get(cloneId);
    if (hold?.heldMs !== heldMs) return { reply: false };
    if (hold.state !== 'open') return { reply: hold.state === 'confirmed' };
    work.begin('holdConfirmed', nowMs);
    work.writer.text(cloneId);
    return work.applied(true);
  },

  abandonHold: (work, { cloneId }, nowMs) => {
    const state = work.state.files.holds.get(cloneId)?.state;
    if (state !== 'open') return { reply: state !== 'confirmed' };
    work.begin('holdAbandoned', nowMs);
    work.writer.text(cloneId);
    return work.applied(true);
  },

  releaseHeldFiles: (work, { cloneId, fileIds }, nowMs) => {
    checkFileIds(fileIds, work.limits);
    const released = decideRelease(work.state, cloneId, fileIds);
    if (released.length === 0) return { reply: 0 };
    work.begin('heldFilesReleased', nowMs);
    writeHeldFilesReleased(work.writer, cloneId, released);
    return work.applied(released.length);
  },

  endHold: (work, { cloneId }, nowMs) => {
    const state = work.state.files.holds.get(cloneId)?.state;
    if (state === undefined || state === 'open') return { reply: false };
    work.begin('holdEnded', nowMs);
    work.writer.text(cloneId);
    return work.applied(true);
  },

  forgetUnneededFiles: (work, { fileIds }, nowMs) => {
    checkFileIds(fileIds, work.limits);
    const forgotten = decideForgetUnneeded(work.state, fileIds);
    if (forgotten.length === 0) return { reply: 0 };
    work.begin('unneededFilesForgotten', nowMs);
    writeFileIds(work.writer, forgotten);
    return work.applied(forgotten.length);
  },

  changeRegistry: (work, { request }, nowMs) => {
    const { alteration, result } = decideChangeRegistry(work.state, work.limits, request);
    if (alteration === undefined) return { reply: result };
    work.begin('registryChanged', nowMs);
    writeRegistryChanged(work.writer, alteration);
    return work.applied(result);
  },

  purge: (work, _command, nowMs) => {
    const purge = decidePurge(work.state, work.limits, nowMs);
    const reply = { producers: purge.producers, fileIds: purge.fileIds, topics: purge.topics.length };
    if (reply.producers + reply.fileIds + reply.topics === 0) return { reply };
    work.begin('purged', nowMs);
    writePurged(work.writer, purge);
    return work.applied(reply);
  },
};

/**
 * Markers limit the range of producer ids. The upper half is reserved for transactional ids, which take one at a time.
 */
const allocatedProducerIdMax = producerIdMax / 2;

function checkFreshIds(state: ClusterState, topicIds: readonly string[], topicCount: number): void {
  if (topicIds.length !== topicCount) {
    throw new MalformedCommand(`${topicCount} topics came with ${topicIds.length} ids`);
  }
  const fresh = new Set(topicIds);
  if (fresh.size !== topicCount) throw new MalformedCommand('the ids of new topics are not all different');
  for (const topicId of topicIds) {
    if (topicId === '' || state.topics.hasId(topicId)) {
      throw new MalformedCommand(`the id "${topicId}" is not a valid id for a new topic`);
    }
  }
}
