import type { AbortedTransactions, ClusterChange, Markers, Pointers, TopicDescription } from '@weir/cluster';
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
  whole,
} from '@weir/cluster/shapes';

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
  /** Absent if empty. */
  readonly replaced?: readonly Replaced[] | undefined;
  /** Revisions. Absent if empty. */
  readonly registry?: readonly number[] | undefined;
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
export const changeKinds = [
  'topic',
  'topicDeleted',
  'agents',
  'appended',
  'clusterConfigs',
  'logStarts',
  'record',
  'topicRestored',
  'replaced',
  'registry',
] as const satisfies readonly ClusterChange['kind'][];

export type RestoredTopic = Omit<Extract<ClusterChange, { kind: 'topicRestored' }>, 'kind'>;
export type Appended = Extract<ClusterChange, { kind: 'appended' }>;
export type LogStarts = Omit<Extract<ClusterChange, { kind: 'logStarts' }>, 'kind'>;
export type Replaced = Omit<Extract<ClusterChange, { kind: 'replaced' }>, 'kind'>;
export type RecordPut = Omit<Extract<ClusterChange, { kind: 'record' }>, 'kind'>;

/** The offset after the last pointer; there is always at least one. */
export function endOf({ nextOffset }: Pointers): number {
  return nextOffset.at(-1) ?? -1;
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

const replaced = equallyLong(
  object<Replaced>({
    topicId: text,
    partition: column(Uint32Array),
    belowOffset: column(Float64Array),
  }),
  'partition',
  'belowOffset',
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

/** Validates `PackedChanges` that were received. */
export const packedShape = equallyLong(
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
      replaced: optional(list(replaced)),
      registry: optional(list(whole)),
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
