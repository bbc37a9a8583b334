import type { AgentDescription, ClusterChange, TopicDescription } from '../cluster/port.ts';
import { FrameError } from './frame.ts';
import { anything, column, equallyLong, list, object, text } from './shape.ts';

/**
 * Changes as they travel. A commit of a thousand partitions is a thousand changes that differ in a few numbers, so that
 * those become columns over all changes, and topic and file ids are written once.
 */
export interface PackedChanges {
  /** Per change, a position in `changeKinds`; the change itself is the next of the list of its kind. */
  readonly kind: Uint8Array;
  readonly topics: readonly unknown[];
  readonly deleted: readonly unknown[];
  readonly agents: readonly unknown[];
  readonly topicIds: readonly string[];
  readonly fileIds: readonly string[];
  /** Per `appended` change. */
  readonly topic: Uint32Array;
  readonly partition: Uint32Array;
  readonly rangeCount: Uint32Array;
  /** Per range of all of them. */
  readonly file: Uint32Array;
  readonly byteStart: Float64Array;
  readonly byteLength: Float64Array;
  readonly baseOffset: Float64Array;
  readonly nextOffset: Float64Array;
}

/** The order is the code on the wire. */
const changeKinds = [
  'topic',
  'topicDeleted',
  'agents',
  'appended',
] as const satisfies readonly ClusterChange['kind'][];

type Appended = Extract<ClusterChange, { kind: 'appended' }>;

/** Gives every different text a number. */
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
    }
  }
  return { kind, topics, deleted, agents, ...packAppended(appended, ranges) };
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
  let at = 0;
  for (let index = 0; index < appended.length; index++) {
    const { topicId, partition: number, pointers } = appended[index]!;
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
  };
  return { topicIds: topicIds.names, fileIds: fileIds.names, ...columns };
}

const packedShape = equallyLong(
  equallyLong(
    object<PackedChanges>({
      kind: column(Uint8Array),
      topics: list(anything),
      deleted: list(anything),
      agents: list(anything),
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

/** The changes again. The columns of their pointers are views of the packed ones. */
export function unpackChanges(body: unknown): ClusterChange[] {
  const problem = packedShape(body, 'changes');
  if (problem !== undefined) throw new FrameError(problem);
  const packed = body as PackedChanges;
  const changes: ClusterChange[] = [];
  const taken = { topic: 0, topicDeleted: 0, agents: 0, appended: 0 };
  let range = 0;
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
        changes.push(appendedAt(packed, index, range, end));
        range = end;
        break;
      }
    }
  }
  return changes;
}

function appendedAt(packed: PackedChanges, index: number, start: number, end: number): Appended {
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
  };
  return { kind: 'appended', topicId, partition, pointers };
}

function memberOf(members: readonly unknown[], index: number): unknown {
  const member = members[index];
  if (member === undefined || member === null) throw new FrameError('a change that is not there');
  return member;
}
