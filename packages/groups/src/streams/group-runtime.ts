import type {
  GroupError,
  OffsetsCommitter,
  StreamsGroupDescription,
  StreamsHeartbeat,
  StreamsHeartbeatAnswer,
  StreamsTopology,
  TopicPartition,
} from '@weir/cluster';
import { ByteReader, ByteWriter, type EntryChange } from '@weir/machine';
import { ClassicGroup } from '../classic/classic-group.ts';
import { ClassicGroupRuntime } from '../classic/group-runtime.ts';
import { memberKey } from '../consumer/record.ts';
import type { GroupHost, OffsetExpiry, PendingAnswer } from '../group.ts';
import { ModernGroupRuntime, type ModernMachine } from '../modern/group-runtime.ts';
import { readPartitions } from './endpoints.ts';
import type { StreamsEvents, StreamsRules, StreamsStep } from './event.ts';
import { tasksAsLists } from './heartbeat.ts';
import { checkCommit, checkFetch, nextDeadlineMs, stateOf, step } from './machine.ts';
import { readStreamsGroup, readStreamsMember, writeStreamsGroup, writeStreamsMember } from './record.ts';
import { StreamsGroup } from './streams-group.ts';

const machine: ModernMachine<StreamsGroup, StreamsEvents, StreamsStep, StreamsRules> = {
  rulesOf: (host, groupId) => host.streamsRules(groupId),
  step,
  nextDeadlineMs,
  stateOf,
  write: writeStreamsGroup,
};

/** The runtime of a streams group, which becomes a classic group if it is empty and a classic member joins. */
export class StreamsGroupRuntime extends ModernGroupRuntime<
  StreamsGroup,
  StreamsEvents,
  StreamsStep,
  StreamsRules
> {
  readonly type = 'streams';
  protected readonly machine = machine;
  readonly #writer = new ByteWriter();

  static of(group: StreamsGroup, host: GroupHost): StreamsGroupRuntime {
    return new StreamsGroupRuntime(group, host, false);
  }

  static read(groupId: string, reader: ByteReader, host: GroupHost): StreamsGroupRuntime {
    const group = new StreamsGroup(groupId);
    const nowMs = host.monotonicMs();
    const { sessionTimeoutMs } = host.streamsRules(groupId);
    for (const memberId of readStreamsGroup(group, reader)) {
      const value = host.memberRecord(memberKey(groupId, memberId));
      if (value === undefined) {
        // The other members get its tasks.
        group.targets.delete(memberId);
        group.standbyTargets.delete(memberId);
        group.epoch++;
        continue;
      }
      const member = readStreamsMember(group, memberId, new ByteReader(value));
      member.sessionDeadlineMs = nowMs + sessionTimeoutMs;
      if (member.holding.state === 'revoking') member.rebalanceDeadlineMs = nowMs + member.rebalanceTimeoutMs;
    }
    return new StreamsGroupRuntime(group, host, true);
  }

  streamsHeartbeat(heartbeat: StreamsHeartbeat): PendingAnswer<StreamsHeartbeatAnswer> {
    return this.run({ kind: 'heartbeat', heartbeat });
  }

  checkCommit(
    committer: OffsetsCommitter,
    isTransactional: boolean,
    partitions: readonly TopicPartition[],
  ): GroupError {
    return checkCommit(this.group, committer, isTransactional, partitions, this.host.topics);
  }

  checkFetch(memberId: string | null, memberEpoch: number): GroupError {
    return checkFetch(this.group, memberId, memberEpoch);
  }

  checkDeleteOffsets(): GroupError {
    return 'NONE';
  }

  offsetExpiry(): OffsetExpiry {
    return { from: 'commit' };
  }

  describeStreams(): StreamsGroupDescription {
    const { group, groupId } = this;
    const { epoch, assignmentEpoch } = group;
    return {
      error: 'NONE',
      groupId,
      state: stateOf(group),
      epoch,
      assignmentEpoch,
      topology: describedTopology(group),
      members: Array.from(group.members.values(), (member) => ({
        memberId: member.memberId,
        epoch: member.holding.epoch,
        instanceId: member.instanceId,
        rackId: member.rackId,
        clientId: member.clientId,
        clientHost: member.clientHost,
        topologyEpoch: member.topologyEpoch,
        processId: member.processId,
        endpoint: member.endpoint,
        clientTags: member.clientTags,
        assigned: tasksAsLists(member.holding.assigned),
        reads: readPartitions(group, member.holding.assigned.active, this.host.topics),
        target: tasksAsLists(group.tasksOf(member.memberId)),
      })),
    };
  }

  /** Replaces a group without members by an empty classic one, whose first save overwrites this one. */
  becomeEmptyClassic(): ClassicGroupRuntime {
    const classic = new ClassicGroup(this.groupId);
    classic.generationId = this.group.epoch;
    this.host.holds(-this.group.textChars);
    this.group.isDead = true;
    this.wakeAtMs = Number.POSITIVE_INFINITY;
    return new ClassicGroupRuntime(classic, this.host, this.isStored);
  }

  protected saveChanges({ changed, removed, isGroupChanged }: StreamsStep): Promise<void> | undefined {
    const { group, host } = this;
    if (group.isDead || (changed.size === 0 && removed.size === 0 && !isGroupChanged)) return undefined;
    const changes: EntryChange[] = Array.from(removed, (memberId) => this.#memberChange(memberId, null));
    const written = this.isStored ? changed : group.members.keys();
    for (const memberId of written) changes.push(this.#memberChange(memberId, this.#encode(memberId)));
    return isGroupChanged || !this.isStored ? this.save(changes) : host.put(this, changes);
  }

  #encode(memberId: string): Buffer {
    writeStreamsMember(this.group.member(memberId)!, this.#writer);
    return this.#writer.take();
  }

  #memberChange(memberId: string, value: Buffer | null): EntryChange {
    return { namespace: 'groupMember', key: memberKey(this.groupId, memberId), value };
  }
}

/** Internal topics have the counts that the coordinator decided, once all topics are there. */
function describedTopology({ topology, configured, isReady }: StreamsGroup): StreamsTopology | undefined {
  if (topology === undefined || !isReady) return topology;
  const counted = <Topic extends { readonly name: string }>(topics: readonly Topic[]) =>
    topics.map((topic) => ({ ...topic, partitionCount: configured!.internalCounts.get(topic.name)! }));
  return {
    epoch: topology.epoch,
    subtopologies: topology.subtopologies.map((subtopology) => ({
      ...subtopology,
      changelogTopics: counted(subtopology.changelogTopics),
      repartitionSourceTopics: counted(subtopology.repartitionSourceTopics),
    })),
  } as StreamsTopology;
}
