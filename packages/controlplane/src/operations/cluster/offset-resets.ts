import type { InputOf, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import type { ClusterPort } from '@weir/cluster';
import { newOffset, type OffsetTarget } from '@weir/core';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { readTopicsWithEnds, type TopicLookup } from './cluster-reads.ts';
import type { ClusterServices } from './services.ts';
import { type WatchedGroup, watchGroup } from './watched-groups.ts';
import { byText, partsOf } from './wire-values.ts';

type ResetInput = InputOf<'preview_offset_reset'>;
type ResetRow = OutputOf<'preview_offset_reset'>['partitions'][number];

/** Offsets that one call finds or commits. */
const offsetsPerCallMax = 1_000;

export function offsetResetOperations({ clusterPort }: ClusterServices) {
  return {
    preview_offset_reset: async (input, context) => {
      const { group, plan } = await planned(clusterPort(input.virtual_cluster_id), input, context);
      return { state: group.state, member_count: group.members.length, ...summaryOf(plan) };
    },

    reset_consumer_group_offsets: async (input, context) => {
      const port = clusterPort(input.virtual_cluster_id);
      const { group, plan } = await planned(port, input, context);
      refuseActive(group);
      for (const part of partsOf(plan, offsetsPerCallMax)) await commit(port, input.group, part);
      context.changed(
        plan.map(({ topic, partition, old_offset, new_offset }) => ({
          name: `${topic}/${partition}`,
          before: old_offset === null ? null : String(old_offset),
          after: String(new_offset),
        })),
      );
      return summaryOf(plan);
    },

    delete_consumer_group: async ({ virtual_cluster_id, group, confirm_group }) => {
      if (group !== confirm_group) throw new OperationFailed('name_mismatch');
      const [error] = await clusterPort(virtual_cluster_id).deleteGroups([group]);
      refuseError(error!, group);
      return {};
    },

    delete_consumer_group_offsets: async ({ virtual_cluster_id, group: name, topic }, context) => {
      const port = clusterPort(virtual_cluster_id);
      const group = await existing(port, name, context);
      const partitions = group.topics.find((one) => one.name === topic)?.partitions ?? [];
      const committed = partitions.filter(({ committedOffset }) => committedOffset !== undefined);
      const found = await readTopicsWithEnds(port, [{ name: topic }], context);
      const topicId = found.topicByName(topic)?.topicId;
      if (topicId === undefined || committed.length === 0)
        throw new OperationFailed(
          'not_found',
          `The group ${name} has no committed offsets for the topic ${topic}.`,
        );
      const { error, offsets } = await port.deleteOffsets({
        groupId: name,
        partitions: committed.map(({ partition }) => ({ topicId, partition })),
      });
      refuseError(error, name);
      refuseError(offsets.find((one) => one !== 'NONE') ?? 'NONE', name);
      return { partition_count: committed.length };
    },
  } satisfies SomeHandlers;
}

interface PlannedOffset extends ResetRow {
  readonly topicId: string;
}

/** What would be committed, by topic and partition. */
async function planned(
  port: ClusterPort,
  input: ResetInput,
  context: CallContext,
): Promise<{ readonly group: WatchedGroup; readonly plan: readonly PlannedOffset[] }> {
  const givenTarget = targetOf(input);
  const group = await existing(port, input.group, context, input.offsets && emptyGroup(input.group));
  const committed = committedOf(group);
  const other = await otherOffsets(port, input, context);
  const given = input.offsets === undefined ? input.topics : [...other!.keys()];
  const names = given ?? [...committed.keys()];
  const topics = await readTopicsWithEnds(
    port,
    names.map((name) => ({ name })),
    context,
  );
  const places = placesOf({ ...input, topics: given }, topics, names, committed, other);
  if (places.length > apiLimits.resetPartitionsMax)
    throw new OperationFailed(
      'limit_exceeded',
      `${places.length} partitions; at most ${apiLimits.resetPartitionsMax} at a time: choose fewer topics.`,
    );
  const atTimes = await timedOffsets(port, places, givenTarget);
  const plan = places.map(({ topic, topicId, partition, target }, index): PlannedOffset => {
    const { logStartOffset, nextOffset } = topics.ends(topicId, partition)!;
    const old = committed.get(topic)?.get(partition);
    const found = newOffset(target ?? givenTarget, {
      earliest: BigInt(logStartOffset),
      latest: BigInt(nextOffset),
      committed: old === undefined ? undefined : BigInt(old),
      atTime: atTimes[index],
    });
    if (found === undefined)
      throw new OperationFailed(
        'conflict',
        `The group has no committed offset to shift in ${topic} partition ${partition}; choose another target.`,
      );
    const offset = Number(found.offset);
    return {
      topicId,
      topic,
      partition,
      old_offset: old ?? null,
      new_offset: offset,
      change: old === undefined ? null : offset - old,
      lag: Math.max(0, nextOffset - offset),
      asked_offset: found.outOfRange === undefined ? null : Number(found.outOfRange),
    };
  });
  return { group, plan };
}

type Committed = ReadonlyMap<string, ReadonlyMap<number, number>>;

interface Place {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  /** If partitions have targets of their own. */
  readonly target?: OffsetTarget | undefined;
}

function placesOf(
  { topics: given, group, offsets }: ResetInput,
  topics: TopicLookup,
  names: readonly string[],
  committed: Committed,
  other: Committed | undefined,
): readonly Place[] {
  const isGiven = offsets !== undefined;
  const places = [...new Set(names)].sort(byText).flatMap((name): Place[] => {
    const topic = topics.topicByName(name);
    if (topic === undefined) throw new OperationFailed('not_found', `Topic ${name} not found.`);
    const own = committed.get(name);
    const missing = isGiven && [...other!.get(name)!.keys()].find((one) => one >= topic.partitionCount);
    if (typeof missing === 'number')
      throw new OperationFailed('not_found', `The topic ${name} has no partition ${missing}.`);
    const all = Array.from({ length: topic.partitionCount }, (_, partition) => partition);
    const partitions = given === undefined ? all.filter((partition) => own?.has(partition) === true) : all;
    return partitions.flatMap((partition): Place[] => {
      const place = { topic: name, topicId: topic.topicId, partition };
      if (other === undefined) return [place];
      const offset = other.get(name)?.get(partition);
      return offset === undefined ? [] : [{ ...place, target: { kind: 'offset', offset: BigInt(offset) } }];
    });
  });
  if (places.length === 0)
    throw new OperationFailed(
      'conflict',
      other === undefined
        ? `The group ${group} has no committed offsets; name the topics to reset.`
        : 'The other group has no committed offsets for these partitions.',
    );
  return places;
}

/** The target is checked with the request, and each needs its own field and no other. */
function targetOf(input: ResetInput): OffsetTarget {
  const { to, time, offset, shift_by: shiftBy, from_group: fromGroup, offsets, topics } = input;
  const fields = { time, offset, shift: shiftBy, group: fromGroup, offsets };
  if (offsets !== undefined && topics !== undefined)
    throw new OperationFailed(
      'invalid_request',
      'A reset to offsets does not take topics: each offset names its topic.',
    );
  for (const [name, value] of Object.entries(fields)) {
    if ((name === to) === (value !== undefined)) continue;
    const field = { shift: 'shift_by', group: 'from_group' }[name] ?? name;
    throw new OperationFailed(
      'invalid_request',
      name === to ? `A reset to ${to} needs ${field}.` : `A reset to ${to} does not take ${field}.`,
    );
  }
  if (to === 'time') return { kind: 'time', timestampMs: Date.parse(time!) };
  if (to === 'offset') return { kind: 'offset', offset: BigInt(offset!) };
  if (to === 'shift') return { kind: 'shift', by: BigInt(shiftBy!) };
  return { kind: to === 'group' || to === 'offsets' ? 'current' : to };
}

/** Where stored ranges begin that have the time; agents would have to read them to find the very record. */
async function timedOffsets(
  port: ClusterPort,
  places: readonly Place[],
  target: OffsetTarget,
): Promise<readonly bigint[]> {
  if (target.kind !== 'time') return [];
  const offsets: bigint[] = [];
  for (const part of partsOf(places, offsetsPerCallMax)) {
    const answers = await port.findOffsets(
      part.map(({ topicId, partition }) => {
        return { topicId, partition, want: 'first', timestampMs: target.timestampMs };
      }),
    );
    for (const { pointers } of answers) offsets.push(BigInt(pointers.baseOffset[0] ?? -1));
  }
  return offsets;
}

/** A group that is set to given offsets need not exist: the offsets of a deleted group come back this way. */
function emptyGroup(name: string): WatchedGroup {
  return { name, type: 'classic', state: 'Empty', protocol: '', generation: 0, members: [], topics: [] };
}

/** Offsets of partitions that are to be taken over: those of another group, or those that are given. */
async function otherOffsets(
  port: ClusterPort,
  { from_group: fromGroup, offsets }: ResetInput,
  context: CallContext,
): Promise<Committed | undefined> {
  if (fromGroup !== undefined) return committedOf(await existing(port, fromGroup, context));
  if (offsets === undefined) return undefined;
  const given = new Map<string, Map<number, number>>();
  for (const { topic, partition, offset } of offsets) {
    const ofTopic = given.get(topic) ?? new Map<number, number>();
    given.set(topic, ofTopic.set(partition, offset));
  }
  return given;
}

async function existing(
  port: ClusterPort,
  name: string,
  context: CallContext,
  otherwise?: WatchedGroup,
): Promise<WatchedGroup> {
  const group = (await watchGroup(port, name, context)) ?? otherwise;
  if (group === undefined) throw new OperationFailed('not_found', `Group ${name} not found.`);
  if (group.type === 'share')
    throw new OperationFailed(
      'conflict',
      `The group ${name} is a share group, which has no committed offsets.`,
    );
  return group;
}

function committedOf({ topics }: WatchedGroup): Committed {
  const committed = new Map<string, Map<number, number>>();
  for (const { name, partitions } of topics)
    for (const { partition, committedOffset } of partitions) {
      if (committedOffset === undefined) continue;
      const ofTopic = committed.get(name) ?? new Map<number, number>();
      committed.set(name, ofTopic.set(partition, committedOffset));
    }
  return committed;
}

/** Kafka lets only a group without members be reset: members would commit their own positions right after. */
function refuseActive({ name, state, members }: WatchedGroup): void {
  if (members.length === 0) return;
  const count = members.length === 1 ? 'an active member' : `${members.length} active members`;
  throw new OperationFailed(
    'conflict',
    `The group ${name} has ${count} (state ${state}); its offsets can be reset once its consumers have stopped.`,
  );
}

async function commit(port: ClusterPort, groupId: string, rows: readonly PlannedOffset[]): Promise<void> {
  const [answer] = await port.commitOffsets([
    {
      groupId,
      generationIdOrMemberEpoch: -1,
      memberId: '',
      groupInstanceId: null,
      retentionMs: -1,
      offsets: rows.map(({ topicId, partition, new_offset: offset }) => {
        return { topicId, partition, offset, leaderEpoch: -1, metadata: '' };
      }),
    },
  ]);
  refuseError(answer!.error, groupId);
  const failed = answer!.offsets.findIndex((error) => error !== 'NONE');
  if (failed < 0) return;
  const { topic, partition } = rows[failed]!;
  throw new OperationFailed(
    'conflict',
    `Failed to reset ${topic} partition ${partition}: ${answer!.offsets[failed]}. Other partitions were reset; try again.`,
  );
}

/** Refusals of the coordinator that a caller can do something about. */
function refuseError(error: string, group: string): void {
  if (error === 'NONE') return;
  if (error === 'GROUP_ID_NOT_FOUND' || error === 'INVALID_GROUP_ID')
    throw new OperationFailed('not_found', `Group ${group} not found.`);
  if (error === 'GROUP_SUBSCRIBED_TO_TOPIC')
    throw new OperationFailed(
      'conflict',
      `The group ${group} reads the topic now; stop its consumers first.`,
    );
  throw new OperationFailed(
    'conflict',
    `The group ${group} has active members (${error}); stop its consumers first.`,
  );
}

function summaryOf(plan: readonly PlannedOffset[]) {
  const sum = (sign: 1 | -1) => plan.reduce((all, { change }) => all + Math.max(0, sign * (change ?? 0)), 0);
  return {
    partitions: plan.map(({ topicId: _, ...row }) => row),
    skipped_records: sum(1),
    repeated_records: sum(-1),
  };
}
