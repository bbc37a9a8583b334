import type {
  AbortedTransactions,
  AgentDescription,
  ClusterChange,
  Markers,
  Pointers,
  TopicDescription,
} from '@weir/cluster';
import {
  anything,
  column,
  equallyLong,
  list,
  object,
  optional,
  type Shape,
  text,
  texts,
} from '@weir/cluster/shapes';
import { FrameError } from './frame.ts';

/**
 * The wire form of changes. A commit of a thousand partitions is a thousand changes that differ in a few numbers, so
 * these become columns over all changes, and topic and file ids are written once.
 */
export interface PackedChanges {
  /** Per change, an index into `changeKinds`; the change itself is the next of the list of its kind. */
  readonly kind: Uint8Array;
  readonly topics: readonly unknown[];
  readonly deleted: readonly unknown[];
  readonly agents: readonly unknown[];
  readonly clusterConfigs: readonly unknown[];
  readonly logStarts: readonly LogStarts[];
  readonly records: readonly RecordPut[];
  /** Absent if empty. */
  readonly restored?: readonly RestoredTopic[] | undefined;
  readonly topicIds: readonly string[];
  readonly fileIds: readonly string[];
  /** Per `appended` change. */
  readonly topic: Uint32Array;
  readonly partition: Uint32Array;
  readonly rangeCount: Uint32Array;
  /** Per range of all `appended` changes. */
  readonly file: Uint32Array;
  readonly byteStart: Float64Array;
  readonly byteLength: Float64Array;
  readonly baseOffset: Float64Array;
  readonly nextOffset: Float64Array;
  /** Absent if the last stable offset of all changes is their end. */
  readonly unstable?: Unstable | undefined;
  /** `row` is an index over all ranges; absent if there is no transaction marker. */
  readonly markers?: Markers | undefined;
  /** Absent if no change has aborted transactions. */
  readonly aborted?: PackedAborted | undefined;
}

/** The `appended` changes whose last stable offset is not their end, which are few. */
interface Unstable {
  /** The index of the change among those of its kind. */
  readonly change: Uint32Array;
  readonly lastStableOffset: Float64Array;
}

/** Aborted transactions of all `appended` changes, in order. */
interface PackedAborted extends AbortedTransactions {
  /** The index of the change among those of its kind. */
  readonly change: Uint32Array;
}

/** The index is the code on the wire. */
const changeKinds = [
  'topic',
  'topicDeleted',
  'agents',
  'appended',
  'clusterConfigs',
  'logStarts',
  'record',
  'topicRestored',
] as const satisfies readonly ClusterChange['kind'][];

type RestoredTopic = Omit<Extract<ClusterChange, { kind: 'topicRestored' }>, 'kind'>;
type Appended = Extract<ClusterChange, { kind: 'appended' }>;
type LogStarts = Omit<Extract<ClusterChange, { kind: 'logStarts' }>, 'kind'>;
type RecordPut = Omit<Extract<ClusterChange, { kind: 'record' }>, 'kind'>;

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
    ...packAppended(appended, ranges),
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

const logStarts = equallyLong(
  object<LogStarts>({
    topicId: text,
    partition: column(Uint32Array),
    logStartOffset: column(Float64Array),
  }),
  'partition',
  'logStartOffset',
);

const bytes = column(Uint8Array);

const recordPut = object<RecordPut>({
  namespace: text,
  key: text,
  value: (value, where) => (value === null ? undefined : bytes(value, where)),
});

const restoredTopic = equallyLong(
  object<RestoredTopic>({
    topic: anything as Shape<TopicDescription>,
    logStartOffset: column(Float64Array),
    nextOffset: column(Float64Array),
    lastStableOffset: column(Float64Array),
  }),
  'logStartOffset',
  'nextOffset',
  'lastStableOffset',
);

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

/** The offset after the last pointer; there is always at least one. */
function endOf({ nextOffset }: Pointers): number {
  return nextOffset.at(-1) ?? -1;
}

const unstableShape = equallyLong(
  object<Unstable>({ change: column(Uint32Array), lastStableOffset: column(Float64Array) }),
  'change',
  'lastStableOffset',
);

const markersShape = equallyLong(
  object<Markers>({
    row: column(Uint32Array),
    isCommit: column(Uint8Array),
    producerId: column(Float64Array),
    producerEpoch: column(Int16Array),
    timestampMs: column(Float64Array),
  }),
  'row',
  'isCommit',
  'producerId',
  'producerEpoch',
  'timestampMs',
);

const abortedShape = equallyLong(
  object<PackedAborted>({
    change: column(Uint32Array),
    producerId: column(Float64Array),
    firstOffset: column(Float64Array),
    lastOffset: column(Float64Array),
  }),
  'change',
  'producerId',
  'firstOffset',
  'lastOffset',
);

const packedShape = equallyLong(
  equallyLong(
    object<PackedChanges>({
      kind: column(Uint8Array),
      topics: list(anything),
      deleted: list(anything),
      agents: list(anything),
      clusterConfigs: list(texts),
      logStarts: list(logStarts),
      records: list(recordPut),
      restored: optional(list(restoredTopic)),
      topicIds: list(text),
      fileIds: list(text),
      topic: column(Uint32Array),
      partition: column(Uint32Array),
      rangeCount: column(Uint32Array),
      file: column(Uint32Array),
      byteStart: column(Float64Array),
      byteLength: column(Float64Array),
      baseOffset: column(Float64Array),
      nextOffset: column(Float64Array),
      unstable: optional(unstableShape),
      markers: optional(markersShape),
      aborted: optional(abortedShape),
    }),
    'topic',
    'partition',
    'rangeCount',
  ),
  'file',
  'byteStart',
  'byteLength',
  'baseOffset',
  'nextOffset',
);

/** Decodes changes. The columns of their pointers are views of the packed ones. */
export function unpackChanges(body: unknown): ClusterChange[] {
  const problem = packedShape(body, 'changes');
  if (problem !== undefined) throw new FrameError(problem);
  const packed = body as PackedChanges;
  const changes: ClusterChange[] = [];
  const taken = {
    topic: 0,
    topicDeleted: 0,
    agents: 0,
    appended: 0,
    clusterConfigs: 0,
    logStarts: 0,
    record: 0,
    topicRestored: 0,
  };
  let range = 0;
  const ends = new UnpackedEnds(packed);
  for (const code of packed.kind) {
    const kind = changeKinds[code];
    if (kind === undefined) throw new FrameError(`a change of kind ${code} is unknown`);
    const index = taken[kind]++;
    switch (kind) {
      case 'topic':
        changes.push({ kind, topic: memberOf(packed.topics, index) as TopicDescription });
        break;
      case 'topicDeleted':
        changes.push({ kind, ...(memberOf(packed.deleted, index) as { topicId: string; name: string }) });
        break;
      case 'agents':
        changes.push({ kind, agents: memberOf(packed.agents, index) as readonly AgentDescription[] });
        break;
      case 'appended': {
        const end = range + (packed.rangeCount[index] ?? 0);
        changes.push(appendedAt(packed, index, range, end, ends));
        range = end;
        break;
      }
      case 'clusterConfigs':
        changes.push({
          kind,
          configs: memberOf(packed.clusterConfigs, index) as Readonly<Record<string, string>>,
        });
        break;
      case 'logStarts':
        changes.push({ kind, ...(memberOf(packed.logStarts, index) as LogStarts) });
        break;
      case 'record':
        changes.push({ kind, ...(memberOf(packed.records, index) as RecordPut) });
        break;
      case 'topicRestored':
        changes.push({ kind, ...(memberOf(packed.restored ?? [], index) as RestoredTopic) });
        break;
    }
  }
  return changes;
}

/** Reads the transaction columns, change by change. */
class UnpackedEnds {
  readonly #packed: PackedChanges;
  #marker = 0;
  #aborted = 0;
  #unstable = 0;

  constructor(packed: PackedChanges) {
    this.#packed = packed;
  }

  /** The markers of the ranges from `start` to `end`, in the form of `Pointers`. */
  markers(start: number, end: number): Pick<Pointers, 'markers'> {
    const { markers } = this.#packed;
    const first = this.#marker;
    while (markers !== undefined && this.#marker < markers.row.length && markers.row[this.#marker]! < end) {
      this.#marker++;
    }
    const last = this.#marker;
    if (markers === undefined || first === last) return {};
    return {
      markers: {
        row: markers.row.slice(first, last).map((row) => row - start),
        isCommit: markers.isCommit.subarray(first, last),
        producerId: markers.producerId.subarray(first, last),
        producerEpoch: markers.producerEpoch.subarray(first, last),
        timestampMs: markers.timestampMs.subarray(first, last),
      },
    };
  }

  lastStableOffset(change: number, pointers: Pointers): number {
    const { unstable } = this.#packed;
    if (unstable === undefined || unstable.change[this.#unstable] !== change) return endOf(pointers);
    return unstable.lastStableOffset[this.#unstable++]!;
  }

  aborted(change: number): Pick<Appended, 'aborted'> {
    const { aborted } = this.#packed;
    const first = this.#aborted;
    while (aborted !== undefined && aborted.change[this.#aborted] === change) this.#aborted++;
    const last = this.#aborted;
    if (aborted === undefined || first === last) return {};
    return {
      aborted: {
        producerId: aborted.producerId.subarray(first, last),
        firstOffset: aborted.firstOffset.subarray(first, last),
        lastOffset: aborted.lastOffset.subarray(first, last),
      },
    };
  }
}

function appendedAt(
  packed: PackedChanges,
  index: number,
  start: number,
  end: number,
  ends: UnpackedEnds,
): Appended {
  const topicId = packed.topicIds[packed.topic[index] ?? -1];
  const partition = packed.partition[index];
  if (topicId === undefined || partition === undefined || end > packed.file.length) {
    throw new FrameError('an appended change that is not there');
  }
  const fileId: string[] = [];
  for (let range = start; range < end; range++) {
    fileId.push(memberOf(packed.fileIds, packed.file[range]!) as string);
  }
  const pointers = {
    fileId,
    byteStart: packed.byteStart.subarray(start, end),
    byteLength: packed.byteLength.subarray(start, end),
    baseOffset: packed.baseOffset.subarray(start, end),
    nextOffset: packed.nextOffset.subarray(start, end),
    ...ends.markers(start, end),
  };
  const lastStableOffset = ends.lastStableOffset(index, pointers);
  return { kind: 'appended', topicId, partition, pointers, lastStableOffset, ...ends.aborted(index) };
}

function memberOf(members: readonly unknown[], index: number): unknown {
  const member = members[index];
  if (member === undefined || member === null) throw new FrameError('a change that is not there');
  return member;
}
