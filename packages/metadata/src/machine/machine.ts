import type {
  BatchesAnswer,
  BatchesQuery,
  ClusterChange,
  ClusterSnapshot,
  OffsetAnswer,
  OffsetQuery,
  TopicDescription,
} from '../cluster/port.ts';
import {
  applyClusterConfigsAltered,
  decideAlterClusterConfigs,
  writeClusterConfigsAltered,
} from './alter-cluster-configs.ts';
import { ByteReader, UnreadableBytes } from './bytes/byte-reader.ts';
import { ByteWriter } from './bytes/byte-writer.ts';
import { ClusterState } from './cluster-state.ts';
import {
  type Command,
  type CommandKind,
  type CommandOf,
  MalformedCommand,
  type Replies,
  type ReplyOf,
} from './command.ts';
import { applyCommittedFiles, commitFiles } from './commit/commit-files.ts';
import { checkFileCommit } from './commit/file-commit-check.ts';
import { type EntryKind, entryKind } from './entry-kind.ts';
import { defaultLimits, type MachineLimits } from './limits.ts';
import { findBatches, findOffset } from './log/find.ts';
import { applyPurged, decidePurge, writePurged } from './purge.ts';
import { restoreState, saveState } from './snapshot/snapshot.ts';
import { decideCreatePartitions } from './topics/create-partitions.ts';
import { decideCreateTopics } from './topics/create-topics.ts';
import { decideDeleteTopics } from './topics/delete-topics.ts';
import {
  applyPartitionsCreated,
  applyTopicsCreated,
  applyTopicsDeleted,
  writePartitionsCreated,
  writeTopicsCreated,
  writeTopicsDeleted,
} from './topics/topic-entries.ts';

export interface Execution<C extends Command> {
  /** What must be in the journal before the reply may leave; `undefined` when nothing changed. */
  readonly entry: Buffer | undefined;
  readonly reply: ReplyOf<C>;
  /** What followers see of it. They may see it when the entry is in the journal, not before. */
  readonly changes: readonly ClusterChange[];
}

/** What there is of everything that grows. */
export interface MachineFigures {
  readonly livePartitions: number;
  /** Those of deleted topics included. */
  readonly heldPartitions: number;
  readonly pointers: number;
  /** What they take, with the unused ends of their chunks. */
  readonly pointerBytes: number;
  /** Files that a pointer lies in. */
  readonly files: number;
  /** Producers, counted in every partition that they wrote to. */
  readonly producers: number;
  readonly recentFiles: number;
}

/** What the parts of the machine give: an entry only when something changed. */
interface Outcome<Kind extends CommandKind> {
  readonly reply: Replies[Kind];
  readonly entry?: Buffer;
  readonly changes?: readonly ClusterChange[];
}

/**
 * The ordered truth of one virtual cluster: a state machine without I/O, clock or chance.
 *
 * `execute` decides and applies at once, so that commands that wait for one append of the journal see each other. What it
 * applied is true only when its entry is in the journal: answers of reads that were made in between have to wait for it too,
 * and a machine whose entry could not be appended is ahead of the truth and has to be thrown away.
 */
export class ClusterMachine {
  readonly #state: ClusterState;
  readonly #limits: MachineLimits;
  readonly #writer = new ByteWriter();

  private constructor(state: ClusterState, limits: MachineLimits) {
    this.#state = state;
    this.#limits = limits;
  }

  static empty(clusterId: string, limits: MachineLimits = defaultLimits): ClusterMachine {
    return new ClusterMachine(new ClusterState(clusterId), limits);
  }

  /** Throws `UnreadableBytes` when the bytes are not a whole snapshot of a version that this release reads. */
  static restore(bytes: Buffer, limits: MachineLimits = defaultLimits): ClusterMachine {
    return new ClusterMachine(restoreState(bytes), limits);
  }

  get clusterId(): string {
    return this.#state.clusterId;
  }

  /**
   * Decides and applies. Throws `MalformedCommand`, and changes nothing, when the command is not well formed: that is a mistake of
   * the caller.
   */
  execute<C extends Command>(command: C, nowMs: number): Execution<C> {
    if (!Number.isSafeInteger(nowMs) || nowMs < 0) throw new MalformedCommand(`${nowMs} is no time`);
    const run = this.#executors[command.kind] as (command: C, nowMs: number) => Outcome<C['kind']>;
    // A leader whose clock is behind that of the one before keeps to the time of the last entry until its clock has caught up.
    const { reply, entry, changes = [] } = run(command, Math.max(nowMs, this.#state.nowMs));
    return { entry, reply, changes };
  }

  /**
   * Applies an entry that another machine's `execute` gave, and gives the changes that followers see. Throws `UnreadableBytes`
   * when the entry is not whole, not of this release, or does not fit what was applied before; the machine is of no use then.
   */
  apply(entry: Buffer): readonly ClusterChange[] {
    const reader = new ByteReader(entry);
    const kind = entryKinds.get(reader.u8());
    if (kind === undefined) throw new UnreadableBytes(`this release knows no entry of kind ${entry[0]}`);
    this.#state.nowMs = reader.varint();
    const changes = appliers[kind](this.#state, reader) ?? [];
    reader.end();
    return changes;
  }

  findBatches(queries: readonly BatchesQuery[]): BatchesAnswer[] {
    return queries.map((query) => findBatches(this.#state, this.#limits, query));
  }

  findOffsets(queries: readonly OffsetQuery[]): OffsetAnswer[] {
    return queries.map((query) => findOffset(this.#state, query));
  }

  topicByName(name: string): TopicDescription | undefined {
    return this.#state.topics.byName(name)?.description;
  }

  topicById(topicId: string): TopicDescription | undefined {
    return this.#state.topics.byId(topicId)?.description;
  }

  clusterConfigs(): Readonly<Record<string, string>> {
    return this.#state.clusterConfigs;
  }

  /** How much the machine holds, for metrics. */
  figures(): MachineFigures {
    const { topics, files, producers, recentFiles } = this.#state;
    let pointers = 0;
    for (const { partitions } of topics.held()) {
      for (const { pointerCount } of partitions) pointers += pointerCount;
    }
    return {
      livePartitions: topics.livePartitionCount,
      heldPartitions: topics.heldPartitionCount,
      pointers,
      pointerBytes: this.#state.pointers.usedBytes,
      files: files.count,
      producers: producers.count,
      recentFiles: recentFiles.count,
    };
  }

  snapshotForFollowers(): Omit<ClusterSnapshot, 'agents'> {
    const { clusterId, clusterConfigs, topics } = this.#state;
    const descriptions: TopicDescription[] = [];
    const logStartOffset = new Float64Array(topics.livePartitionCount);
    const nextOffset = new Float64Array(topics.livePartitionCount);
    let row = 0;
    for (const { description, partitions } of topics.live()) {
      descriptions.push(description);
      for (const log of partitions) {
        logStartOffset[row] = log.logStartOffset;
        nextOffset[row] = log.nextOffset;
        row++;
      }
    }
    return { clusterId, clusterConfigs, topics: descriptions, logStartOffset, nextOffset };
  }

  /** The whole state as slices, versioned and with a checksum. Equal states give equal bytes. */
  save(): Buffer[] {
    return saveState(this.#state);
  }

  readonly #executors: {
    readonly [Kind in CommandKind]: (command: CommandOf<Kind>, nowMs: number) => Outcome<Kind>;
  } = {
    commitFiles: ({ files }, nowMs) => {
      for (const file of files) checkFileCommit(file);
      const state = this.#state;
      if (files.every(({ fileId }) => state.recentFiles.has(fileId))) {
        return { reply: files.map(({ fileId }) => state.recentFiles.replyOf(fileId)!) };
      }
      state.nowMs = nowMs;
      this.#beginEntry('filesCommitted', nowMs);
      const { results, changes } = commitFiles(state, this.#limits, files, this.#writer);
      return { reply: results, entry: this.#writer.take(), changes };
    },

    createTopics: ({ topics, topicIds, validateOnly }, nowMs) => {
      this.#checkFreshIds(topicIds, topics.length);
      const { created, results } = decideCreateTopics(this.#state, this.#limits, topics, topicIds, nowMs);
      if (validateOnly || created.length === 0) return { reply: results };
      this.#beginEntry('topicsCreated', nowMs);
      writeTopicsCreated(this.#writer, created);
      return this.#applied(results);
    },

    deleteTopics: ({ topics }, nowMs) => {
      const { deleted, results } = decideDeleteTopics(this.#state, topics);
      if (deleted.length === 0) return { reply: results };
      this.#beginEntry('topicsDeleted', nowMs);
      writeTopicsDeleted(this.#writer, deleted);
      return this.#applied(results);
    },

    createPartitions: ({ topics, validateOnly }, nowMs) => {
      const { grown, results } = decideCreatePartitions(this.#state, this.#limits, topics);
      if (validateOnly || grown.length === 0) return { reply: results };
      this.#beginEntry('partitionsCreated', nowMs);
      writePartitionsCreated(this.#writer, grown);
      return this.#applied(results);
    },

    allocateProducerIds: ({ count }, nowMs) => {
      const { producerIdsPerCallMax } = this.#limits;
      if (!Number.isInteger(count) || count < 1 || count > producerIdsPerCallMax) {
        throw new MalformedCommand(
          `${count} producer ids; 1 to ${producerIdsPerCallMax} can be had at a time`,
        );
      }
      const first = this.#state.nextProducerId;
      this.#beginEntry('producerIdsAllocated', nowMs);
      this.#writer.varint(count);
      return this.#applied(first);
    },

    alterClusterConfigs: ({ configs }, nowMs) => {
      const { changed, problem } = decideAlterClusterConfigs(this.#state, configs);
      if (problem !== undefined) return { reply: { error: 'INVALID_CONFIG', message: problem } };
      const reply = { error: 'NONE', message: null } as const;
      if (Object.keys(changed).length === 0) return { reply };
      this.#beginEntry('clusterConfigsAltered', nowMs);
      writeClusterConfigsAltered(this.#writer, changed);
      return this.#applied(reply);
    },

    purge: (_command, nowMs) => {
      const purge = decidePurge(this.#state, this.#limits, nowMs);
      const reply = { producers: purge.producers, fileIds: purge.fileIds, topics: purge.topics.length };
      if (reply.producers + reply.fileIds + reply.topics === 0) return { reply };
      this.#beginEntry('purged', nowMs);
      writePurged(this.#writer, purge);
      return this.#applied(reply);
    },
  };

  #beginEntry(kind: EntryKind, nowMs: number): void {
    this.#writer.u8(entryKind[kind]);
    this.#writer.varint(nowMs);
  }

  /** Ends an entry and does what it says, exactly as a follower will. */
  #applied<Reply>(reply: Reply): { reply: Reply; entry: Buffer; changes: readonly ClusterChange[] } {
    const entry = this.#writer.take();
    return { reply, entry, changes: this.apply(entry) };
  }

  #checkFreshIds(topicIds: readonly string[], topicCount: number): void {
    if (topicIds.length !== topicCount) {
      throw new MalformedCommand(`${topicCount} topics came with ${topicIds.length} ids`);
    }
    const fresh = new Set(topicIds);
    if (fresh.size !== topicCount) throw new MalformedCommand('the ids of new topics are not all different');
    for (const topicId of topicIds) {
      if (topicId === '' || this.#state.topics.hasId(topicId)) {
        throw new MalformedCommand(`the id "${topicId}" cannot be given to a new topic`);
      }
    }
  }
}

const entryKinds: ReadonlyMap<number, EntryKind> = new Map(
  Object.entries(entryKind).map(([kind, number]) => [number, kind as EntryKind]),
);

/** What each kind of entry does to the state, and what followers see of it. */
const appliers: {
  readonly [Kind in EntryKind]: (
    state: ClusterState,
    reader: ByteReader,
  ) => readonly ClusterChange[] | undefined;
} = {
  filesCommitted: applyCommittedFiles,
  topicsCreated: applyTopicsCreated,
  topicsDeleted: applyTopicsDeleted,
  partitionsCreated: applyPartitionsCreated,
  producerIdsAllocated: (state, reader) => {
    state.nextProducerId += reader.varint();
    return undefined;
  },
  clusterConfigsAltered: (state, reader) => {
    applyClusterConfigsAltered(state, reader);
    return undefined;
  },
  purged: (state, reader) => {
    applyPurged(state, reader);
    return undefined;
  },
};
