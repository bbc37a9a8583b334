import {
  type EntryError,
  entryErrors,
  type FileCommit,
  type FileCommitResult,
  type PartitionsToCreate,
  type Pointers,
  type TopicDescription,
  type TopicError,
  type TopicReference,
  type TopicToCreate,
} from '@weir/cluster';
import { fileIdLevel } from '@weir/core';
import type { MachineLimits } from '../src/machine-limits.ts';

/**
 * The machine as a few arrays of objects, slow but simple enough to be obviously correct: no entries, no columns, only
 * linear search. Tests compare the machine with it.
 */
export class ReferenceModel {
  nowMs = 0;
  nextProducerId = 1;
  clusterConfigs: Record<string, string> = {};
  topics: ModelTopic[] = [];
  recentFiles: { fileId: string; committedMs: number; reply: ModelReply[] }[] = [];
  commitCount = 0;
  /** In order of death. */
  dead: { fileId: string; fileBytes: number; deadMs: number }[] = [];
  /** When files were deleted, or last found to be committable still. */
  deleted = new Map<string, number>();
  /** Every file that was ever committed, by id. */
  #fileBytes = new Map<string, number>();
  readonly limits: MachineLimits;

  constructor(limits: MachineLimits) {
    this.limits = limits;
  }

  live(): ModelTopic[] {
    return this.topics.filter(({ deletedMs }) => deletedMs === undefined);
  }

  commitFile(file: FileCommit, nowMs: number): FileCommitResult {
    const known = this.recentFiles.find(({ fileId }) => fileId === file.fileId);
    if (known !== undefined) return asColumns(known.reply);
    this.nowMs = nowMs;
    this.commitCount++;
    const isGone =
      this.referenced().has(file.fileId) ||
      this.dead.some(({ fileId }) => fileId === file.fileId) ||
      this.deleted.has(file.fileId) ||
      timeOf(file.fileId) < nowMs - this.limits.fileCommitMsMax;
    const reply = Array.from(file.topic, (_, row) =>
      isGone ? refusal('KAFKA_STORAGE_ERROR') : this.#commitBatch(file, row),
    );
    if (!this.#fileBytes.has(file.fileId)) this.#fileBytes.set(file.fileId, file.fileBytes);
    this.#buryFiles([file.fileId]);
    this.recentFiles.push({ fileId: file.fileId, committedMs: nowMs, reply });
    const bytes = () => this.recentFiles.reduce((sum, recent) => sum + replyBytes(recent.reply), 0);
    while (
      this.recentFiles.length > 1 &&
      (this.recentFiles.length > this.limits.recentFilesMax || bytes() > this.limits.recentFileReplyBytesMax)
    ) {
      this.recentFiles.shift();
    }
    return asColumns(reply);
  }

  #commitBatch(file: FileCommit, row: number): ModelReply {
    const topicId = file.topicIds[file.topic[row]!];
    const topic = this.live().find(({ description }) => description.topicId === topicId);
    if (topic === undefined) return refusal('UNKNOWN_TOPIC_ID');
    const partition = topic.partitions[file.partition[row]!];
    if (partition === undefined) return refusal('UNKNOWN_TOPIC_OR_PARTITION');

    const producerId = file.producerId[row]!;
    const records = file.recordCount[row]!;
    if (producerId >= 0) {
      const epoch = file.producerEpoch[row]!;
      const sequences = Array.from(
        { length: records },
        (_, index) => (file.baseSequence[row]! + index) % 2 ** 31,
      );
      const fresh = { producerId, epoch, writtenMs: this.nowMs, batches: [] };
      let state = partition.producers.find((one) => one.producerId === producerId);
      if (state !== undefined && this.nowMs - state.writtenMs >= this.limits.producerStateMsMax) {
        partition.producers.splice(partition.producers.indexOf(state), 1);
        state = undefined;
      }
      if (state !== undefined) {
        if (epoch < state.epoch) return refusal('INVALID_PRODUCER_EPOCH');
        const original = state.batches.find(
          (batch) => epoch === state?.epoch && String(batch.sequences) === String(sequences),
        );
        if (original !== undefined) return { error: 'NONE', baseOffset: original.baseOffset, logStart: 0 };
        const last = state.batches.at(-1)!.sequences.at(-1)!;
        const expected = epoch > state.epoch ? 0 : (last + 1) % 2 ** 31;
        if (sequences[0] !== expected) return refusal('OUT_OF_ORDER_SEQUENCE_NUMBER');
        if (epoch > state.epoch) state.batches.length = 0;
      } else {
        const all = this.topics.flatMap(({ partitions }) =>
          partitions.flatMap(({ producers }) => producers.map((one) => ({ producers, one }))),
        );
        if (all.length >= this.limits.producerStatesMax) {
          const silentLongest = all.sort((a, b) => a.one.writeNumber - b.one.writeNumber)[0]!;
          silentLongest.producers.splice(silentLongest.producers.indexOf(silentLongest.one), 1);
        }
        state = { ...fresh, writeNumber: 0 };
        partition.producers.push(state);
      }
      state.epoch = epoch;
      state.writtenMs = this.nowMs;
      state.writeNumber = ++this.#writeCount;
      state.batches.push({ sequences, baseOffset: partition.nextOffset });
      if (state.batches.length > 5) state.batches.shift();
    }

    const baseOffset = partition.nextOffset;
    partition.batches.push({
      commit: this.commitCount,
      fileId: file.fileId,
      byteStart: file.byteStart[row]!,
      byteLength: file.byteLength[row]!,
      baseOffset,
      nextOffset: baseOffset + records,
      maxTimestampMs: file.maxTimestampMs[row]!,
    });
    partition.nextOffset += records;
    return { error: 'NONE', baseOffset, logStart: 0 };
  }

  #writeCount = 0;

  createTopics(topics: readonly TopicToCreate[], topicIds: readonly string[], nowMs: number): TopicError[] {
    return topics.map(({ name, partitionCount, replicationFactor = -1, configs }, index) => {
      if (topics.filter((other) => other.name === name).length > 1) return 'INVALID_REQUEST';
      if (!/^[a-zA-Z0-9._-]{1,249}$/.test(name) || name === '.' || name === '..')
        return 'INVALID_TOPIC_EXCEPTION';
      const names = this.live().map(({ description }) => description.name);
      if (names.includes(name)) return 'TOPIC_ALREADY_EXISTS';
      const blurred = (text: string) => text.split('.').join('_');
      if (names.map(blurred).includes(blurred(name))) return 'INVALID_TOPIC_EXCEPTION';
      if (Object.keys(configs).some((config) => config.startsWith('service.unknown')))
        return 'INVALID_CONFIG';
      const count =
        partitionCount === -1 ? Number(this.clusterConfigs['num.partitions'] ?? 1) : partitionCount;
      if (count < 1) return 'INVALID_PARTITIONS';
      if (replicationFactor === 0) return 'INVALID_REPLICATION_FACTOR';
      const refused = this.#overBudget(count, count);
      if (refused !== undefined) return refused;
      this.nowMs = nowMs;
      this.topics.push({
        description: {
          topicId: topicIds[index]!,
          name,
          partitionCount: count,
          // The default factor is not stored.
          ...(replicationFactor === -1 || replicationFactor === 3 ? {} : { replicationFactor }),
          configs,
          createdMs: nowMs,
        },
        deletedMs: undefined,
        partitions: Array.from({ length: count }, emptyPartition),
      });
      return 'NONE';
    });
  }

  deleteTopics(references: readonly TopicReference[], nowMs: number): TopicError[] {
    const found = references.map(({ topicId, name }) =>
      this.live().find(({ description }) =>
        topicId === undefined ? description.name === name : description.topicId === topicId,
      ),
    );
    return found.map((topic, index) => {
      if (topic === undefined) {
        return references[index]!.topicId === undefined ? 'UNKNOWN_TOPIC_OR_PARTITION' : 'UNKNOWN_TOPIC_ID';
      }
      if (found.filter((other) => other === topic).length > 1) return 'INVALID_REQUEST';
      const isProtected = topic.description.configs['service.deletion.protection.enabled'] === 'true';
      if (isProtected || this.clusterConfigs['delete.topic.enable'] === 'false') {
        return 'TOPIC_DELETION_DISABLED';
      }
      this.nowMs = nowMs;
      topic.deletedMs = nowMs;
      return 'NONE';
    });
  }

  /** Ids of files that pointers lie in. */
  referenced(): Set<string> {
    return new Set(
      this.topics.flatMap(({ partitions }) =>
        partitions.flatMap(({ batches }) => batches.map(({ fileId }) => fileId)),
      ),
    );
  }

  /** Whichever of the files has no pointer, and is not known otherwise, is dead now. */
  #buryFiles(fileIds: Iterable<string>): void {
    const referenced = this.referenced();
    for (const fileId of fileIds) {
      const isKnown = this.dead.some((file) => file.fileId === fileId) || this.deleted.has(fileId);
      if (referenced.has(fileId) || isKnown) continue;
      this.dead.push({ fileId, fileBytes: this.#fileBytes.get(fileId)!, deadMs: this.nowMs });
    }
  }

  forgetDeadFiles(fileIds: readonly string[], nowMs: number): number {
    const known = this.dead.filter(({ fileId }) => fileIds.includes(fileId));
    if (known.length === 0) return 0;
    this.nowMs = nowMs;
    this.dead = this.dead.filter((file) => !known.includes(file));
    const fromMs = Math.max(0, nowMs - this.limits.fileCommitMsMax);
    for (const { fileId } of known) {
      if (isCompacted(fileId) || timeOf(fileId) >= fromMs) this.deleted.set(fileId, nowMs);
      this.#fileBytes.delete(fileId);
    }
    for (const [fileId, deletedMs] of this.deleted) {
      if (deletedMs >= fromMs) continue;
      if (!isCompacted(fileId) && timeOf(fileId) >= fromMs) this.deleted.set(fileId, nowMs);
      else this.deleted.delete(fileId);
    }
    return known.length;
  }

  declareFilesDead(fileIds: readonly string[], nowMs: number): string[] {
    const known = new Set([
      ...this.referenced(),
      ...this.dead.map(({ fileId }) => fileId),
      ...this.deleted.keys(),
    ]);
    const unknown = [...new Set(fileIds)].filter((fileId) => !known.has(fileId));
    if (unknown.length > 0) this.nowMs = nowMs;
    for (const fileId of unknown) this.dead.push({ fileId, fileBytes: 0, deadMs: nowMs });
    return unknown;
  }

  /** Deletes like `deleteTopics`, but removes the data. */
  removeTopics(references: readonly TopicReference[], nowMs: number): TopicError[] {
    const before = new Set(this.live());
    const referenced = this.referenced();
    const errors = this.deleteTopics(references, nowMs);
    this.topics = this.topics.filter((topic) => topic.deletedMs === undefined || !before.has(topic));
    this.#buryFiles(referenced);
    return errors;
  }

  restoreTopics(topicIds: readonly string[], nowMs: number): TopicError[] {
    const ttlMs = Number(this.clusterConfigs['service.soft.delete.topic.ttl.ms'] ?? 86_400_000);
    const blurred = (text: string) => text.split('.').join('_');
    const namesBefore = this.live().map(({ description }) => description.name);
    return topicIds.map((topicId) => {
      if (topicIds.filter((other) => other === topicId).length > 1) return 'INVALID_REQUEST';
      const topic = this.topics.find(({ description }) => description.topicId === topicId);
      if (topic?.deletedMs === undefined || nowMs - topic.deletedMs >= ttlMs) return 'UNKNOWN_TOPIC_ID';
      const { name } = topic.description;
      if (namesBefore.includes(name)) return 'TOPIC_ALREADY_EXISTS';
      const names = this.live().map(({ description }) => blurred(description.name));
      if (names.includes(blurred(name))) return 'INVALID_TOPIC_EXCEPTION';
      const liveCount = this.live().reduce((sum, { partitions }) => sum + partitions.length, 0);
      if (liveCount + topic.partitions.length > this.limits.partitionsPerClusterMax) {
        return 'POLICY_VIOLATION';
      }
      this.nowMs = nowMs;
      topic.deletedMs = undefined;
      return 'NONE';
    });
  }

  createPartitions(requests: readonly PartitionsToCreate[], nowMs: number): TopicError[] {
    return requests.map(({ name, partitionCount }) => {
      if (requests.filter((other) => other.name === name).length > 1) return 'INVALID_REQUEST';
      const topic = this.live().find(({ description }) => description.name === name);
      if (topic === undefined) return 'UNKNOWN_TOPIC_OR_PARTITION';
      const added = partitionCount - topic.partitions.length;
      if (added <= 0) return 'INVALID_PARTITIONS';
      const refused = this.#overBudget(added, partitionCount);
      if (refused !== undefined) return refused;
      this.nowMs = nowMs;
      while (topic.partitions.length < partitionCount) topic.partitions.push(emptyPartition());
      topic.description = { ...topic.description, partitionCount };
      return 'NONE';
    });
  }

  allocateProducerIds(count: number, nowMs: number): number {
    this.nowMs = nowMs;
    this.nextProducerId += count;
    return this.nextProducerId - count;
  }

  alterClusterConfigs(configs: Readonly<Record<string, string | null>>, nowMs: number): void {
    for (const [name, text] of Object.entries(configs)) {
      if ((this.clusterConfigs[name] ?? null) === text) continue;
      this.nowMs = nowMs;
      if (text === null) delete this.clusterConfigs[name];
      else this.clusterConfigs[name] = text;
    }
  }

  purge(nowMs: number): { topics: number; producers: number; fileIds: number } {
    const counts = { topics: 0, producers: 0, fileIds: 0 };
    for (const { partitions } of this.topics) {
      for (const partition of partitions) {
        const remaining = partition.producers.filter(
          ({ writtenMs }) => nowMs - writtenMs < this.limits.producerStateMsMax,
        );
        counts.producers += partition.producers.length - remaining.length;
        partition.producers = remaining;
      }
    }
    const recent = this.recentFiles.filter(
      ({ committedMs }) => nowMs - committedMs < this.limits.recentFileMsMax,
    );
    counts.fileIds = this.recentFiles.length - recent.length;
    this.recentFiles = recent;
    const ttlMs = Number(this.clusterConfigs['service.soft.delete.topic.ttl.ms'] ?? 86_400_000);
    const held = this.topics.filter(({ deletedMs }) => deletedMs === undefined || nowMs - deletedMs < ttlMs);
    counts.topics = this.topics.length - held.length;
    const referenced = this.referenced();
    this.topics = held;
    if (counts.topics + counts.producers + counts.fileIds > 0) this.nowMs = nowMs;
    this.#buryFiles(referenced);
    return counts;
  }

  /** Returns all pointers of a partition; adjacent batches within one commit are one pointer. */
  pointers(partition: ModelPartition): ModelPointer[] {
    const pointers: ModelPointer[] = [];
    for (const batch of partition.batches) {
      const last = pointers.at(-1);
      if (last?.commit === batch.commit && last.byteStart + last.byteLength === batch.byteStart) {
        last.byteLength += batch.byteLength;
        last.nextOffset = batch.nextOffset;
        last.maxTimestampMs = Math.max(last.maxTimestampMs, batch.maxTimestampMs);
      } else {
        pointers.push({ ...batch });
      }
    }
    return pointers;
  }

  #overBudget(added: number, total: number): TopicError | undefined {
    const count = (topics: ModelTopic[]) =>
      topics.reduce((sum, { partitions }) => sum + partitions.length, 0);
    if (total > this.limits.partitionsPerTopicMax) return 'INVALID_PARTITIONS';
    if (count(this.live()) + added > this.limits.partitionsPerClusterMax) return 'POLICY_VIOLATION';
    if (count(this.topics) + added > this.limits.partitionsHeldMax) return 'POLICY_VIOLATION';
    return undefined;
  }
}

interface ModelTopic {
  description: TopicDescription;
  deletedMs: number | undefined;
  partitions: ModelPartition[];
}

export interface ModelPartition {
  nextOffset: number;
  batches: ModelPointer[];
  producers: ModelProducer[];
}

interface ModelPointer {
  commit: number;
  fileId: string;
  byteStart: number;
  byteLength: number;
  baseOffset: number;
  nextOffset: number;
  maxTimestampMs: number;
}

interface ModelProducer {
  producerId: number;
  epoch: number;
  writtenMs: number;
  writeNumber: number;
  batches: { sequences: number[]; baseOffset: number }[];
}

interface ModelReply {
  error: EntryError;
  baseOffset: number;
  logStart: number;
}

export function asPointers(pointers: readonly ModelPointer[]): Pointers {
  return {
    fileId: pointers.map(({ fileId }) => fileId),
    byteStart: Float64Array.from(pointers, ({ byteStart }) => byteStart),
    byteLength: Float64Array.from(pointers, ({ byteLength }) => byteLength),
    baseOffset: Float64Array.from(pointers, ({ baseOffset }) => baseOffset),
    nextOffset: Float64Array.from(pointers, ({ nextOffset }) => nextOffset),
  };
}

function asColumns(reply: readonly ModelReply[]): FileCommitResult {
  return {
    error: Uint8Array.from(reply, ({ error }) => entryErrors.indexOf(error)),
    baseOffset: Float64Array.from(reply, ({ baseOffset }) => baseOffset),
    logStartOffset: Float64Array.from(reply, ({ logStart }) => logStart),
  };
}

/** Size that the machine counts for an answer: a byte for the error, and varints for the two offsets. */
function replyBytes(reply: readonly ModelReply[]): number {
  const varintBytes = (value: number) => Math.max(1, Math.ceil(Math.log2(value + 1) / 7));
  return reply.reduce(
    (sum, { error, baseOffset, logStart }) =>
      sum + 1 + (error === 'NONE' ? varintBytes(baseOffset) + varintBytes(logStart) : 0),
    0,
  );
}

function timeOf(fileId: string): number {
  return Number.parseInt(fileId.slice(0, 12), 16);
}

function isCompacted(fileId: string): boolean {
  return fileIdLevel(fileId) > 0;
}

function refusal(error: EntryError): ModelReply {
  return { error, baseOffset: -1, logStart: -1 };
}

function emptyPartition(): ModelPartition {
  return { nextOffset: 0, batches: [], producers: [] };
}
