import type {
  AbortedTransactions,
  AgentDescription,
  ClusterChange,
  Markers,
  TopicDescription,
} from '@weir/cluster';
import {
  type Appended,
  changeKinds,
  endOf,
  type LogStarts,
  type PackedChanges,
  type RecordPut,
  type Replaced,
  type RestoredTopic,
} from './packed-changes.ts';

/** Encodes changes as columns. */
export function packChanges(changes: readonly ClusterChange[]): PackedChanges {
  const kind = new Uint8Array(changes.length);
  const topics: TopicDescription[] = [];
  const deleted: { topicId: string; name: string }[] = [];
  const agents: (readonly AgentDescription[])[] = [];
  const appended: Appended[] = [];
  const clusterConfigs: Readonly<Record<string, string>>[] = [];
  const logStarts: LogStarts[] = [];
  const records: RecordPut[] = [];
  const restored: RestoredTopic[] = [];
  const replaced: Replaced[] = [];
  const registry: number[] = [];
  let ranges = 0;
  for (const [index, change] of changes.entries()) {
    kind[index] = changeKinds.indexOf(change.kind);
    switch (change.kind) {
      case 'topic':
        topics.push(change.topic);
        break;
      case 'topicDeleted':
        deleted.push({ topicId: change.topicId, name: change.name });
        break;
      case 'agents':
        agents.push(change.agents);
        break;
      case 'appended':
        appended.push(change);
        ranges += change.pointers.fileId.length;
        break;
      case 'clusterConfigs':
        clusterConfigs.push(change.configs);
        break;
      case 'logStarts': {
        const { kind: _, ...moved } = change;
        logStarts.push(moved);
        break;
      }
      case 'record': {
        const { kind: _, ...put } = change;
        records.push(put);
        break;
      }
      case 'topicRestored': {
        const { kind: _, ...back } = change;
        restored.push(back);
        break;
      }
      case 'replaced': {
        const { kind: _, ...ranges } = change;
        replaced.push(ranges);
        break;
      }
      case 'registry':
        registry.push(change.revision);
        break;
    }
  }
  return {
    kind,
    topics,
    deleted,
    agents,
    clusterConfigs,
    logStarts,
    records,
    ...(restored.length > 0 ? { restored } : {}),
    ...(replaced.length > 0 ? { replaced } : {}),
    ...(registry.length > 0 ? { registry } : {}),
    ...(appended.length === 0 ? nothingAppended : packAppended(appended, ranges)),
  };
}

function packAppended(appended: readonly Appended[], ranges: number) {
  const topicIds = new Numbering();
  const fileIds = new Numbering();
  const topic = new Uint32Array(appended.length);
  const partition = new Uint32Array(appended.length);
  const rangeCount = new Uint32Array(appended.length);
  const file = new Uint32Array(ranges);
  const byteStart = new Float64Array(ranges);
  const byteLength = new Float64Array(ranges);
  const baseOffset = new Float64Array(ranges);
  const nextOffset = new Float64Array(ranges);
  const ends = new PackedEnds();
  let at = 0;
  for (let index = 0; index < appended.length; index++) {
    const { topicId, partition: number, pointers, aborted } = appended[index]!;
    const { lastStableOffset } = appended[index]!;
    if (lastStableOffset !== endOf(pointers)) ends.addUnstable(index, lastStableOffset);
    if (pointers.markers !== undefined) ends.addMarkers(pointers.markers, at);
    if (aborted !== undefined) ends.addAborted(aborted, index);
    topic[index] = topicIds.of(topicId);
    partition[index] = number;
    rangeCount[index] = pointers.fileId.length;
    for (let range = 0; range < pointers.fileId.length; range++, at++) {
      file[at] = fileIds.of(pointers.fileId[range]!);
      byteStart[at] = pointers.byteStart[range]!;
      byteLength[at] = pointers.byteLength[range]!;
      baseOffset[at] = pointers.baseOffset[range]!;
      nextOffset[at] = pointers.nextOffset[range]!;
    }
  }
  const columns = {
    topic,
    partition,
    rangeCount,
    file,
    byteStart,
    byteLength,
    baseOffset,
    nextOffset,
    ...ends.columns(),
  };
  return { topicIds: topicIds.names, fileIds: fileIds.names, ...columns };
}

/** Collects transaction markers, aborted transactions and unstable offsets, which most changes do not have. */
class PackedEnds {
  readonly #row: number[] = [];
  readonly #isCommit: number[] = [];
  readonly #producerId: number[] = [];
  readonly #producerEpoch: number[] = [];
  readonly #timestampMs: number[] = [];
  readonly #unstableChange: number[] = [];
  readonly #stableOffset: number[] = [];
  readonly #change: number[] = [];
  readonly #abortedProducerId: number[] = [];
  readonly #firstOffset: number[] = [];
  readonly #lastOffset: number[] = [];

  addUnstable(change: number, lastStableOffset: number): void {
    this.#unstableChange.push(change);
    this.#stableOffset.push(lastStableOffset);
  }

  addMarkers({ row, isCommit, producerId, producerEpoch, timestampMs }: Markers, firstRange: number): void {
    for (let index = 0; index < row.length; index++) {
      this.#row.push(firstRange + row[index]!);
      this.#isCommit.push(isCommit[index]!);
      this.#producerId.push(producerId[index]!);
      this.#producerEpoch.push(producerEpoch[index]!);
      this.#timestampMs.push(timestampMs[index]!);
    }
  }

  addAborted({ producerId, firstOffset, lastOffset }: AbortedTransactions, change: number): void {
    for (let index = 0; index < producerId.length; index++) {
      this.#change.push(change);
      this.#abortedProducerId.push(producerId[index]!);
      this.#firstOffset.push(firstOffset[index]!);
      this.#lastOffset.push(lastOffset[index]!);
    }
  }

  columns(): Pick<PackedChanges, 'unstable' | 'markers' | 'aborted'> {
    const unstable = {
      change: Uint32Array.from(this.#unstableChange),
      lastStableOffset: Float64Array.from(this.#stableOffset),
    };
    const markers = {
      row: Uint32Array.from(this.#row),
      isCommit: Uint8Array.from(this.#isCommit),
      producerId: Float64Array.from(this.#producerId),
      producerEpoch: Int16Array.from(this.#producerEpoch),
      timestampMs: Float64Array.from(this.#timestampMs),
    };
    const aborted = {
      change: Uint32Array.from(this.#change),
      producerId: Float64Array.from(this.#abortedProducerId),
      firstOffset: Float64Array.from(this.#firstOffset),
      lastOffset: Float64Array.from(this.#lastOffset),
    };
    return {
      ...(unstable.change.length > 0 ? { unstable } : {}),
      ...(markers.row.length > 0 ? { markers } : {}),
      ...(aborted.change.length > 0 ? { aborted } : {}),
    };
  }
}

/** Numbers distinct strings. */
class Numbering {
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(name: string): number {
    let found = this.#numbers.get(name);
    if (found === undefined) {
      found = this.names.push(name) - 1;
      this.#numbers.set(name, found);
    }
    return found;
  }
}

/** Most changes without records are new loads of agents, which the leaders of many clusters send all the time. */
const nothingAppended = packAppended([], 0);
