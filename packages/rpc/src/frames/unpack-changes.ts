import type { AgentDescription, ClusterChange, Pointers, TopicDescription } from '@weir/cluster';
import { FrameError } from './frame-error.ts';
import {
  type Appended,
  changeKinds,
  endOf,
  type LogStarts,
  type PackedChanges,
  packedShape,
  type RecordPut,
  type Replaced,
  type RestoredTopic,
} from './packed-changes.ts';

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
    replaced: 0,
    registry: 0,
  };
  let range = 0;
  const ends = new UnpackedEnds(packed);
  for (const code of packed.kind) {
    const kind = changeKinds[code];
    if (kind === undefined) throw new FrameError(`unknown change kind ${code}`);
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
      case 'replaced':
        changes.push({ kind, ...(memberOf(packed.replaced ?? [], index) as Replaced) });
        break;
      case 'registry':
        changes.push({ kind, revision: memberOf(packed.registry ?? [], index) as number });
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
    throw new FrameError('missing appended change');
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
  if (member === undefined || member === null) throw new FrameError('missing change');
  return member;
}
