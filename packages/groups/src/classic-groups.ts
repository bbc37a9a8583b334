import type {
  GroupError,
  GroupHeartbeat,
  JoinGroupAnswer,
  JoinGroupRequest,
  LeaveGroupAnswer,
  LeaveGroupRequest,
  SyncGroupAnswer,
  SyncGroupRequest,
} from '@weir/cluster';
import { ClassicGroupRuntime } from './classic/group-runtime.ts';
import { refusedJoin, refusedSync } from './classic/step.ts';
import { ConsumerGroupRuntime } from './consumer/group-runtime.ts';
import { type GroupHost, servesClassicMembers } from './group.ts';
import type { GroupDirectory } from './group-directory.ts';
import { isGroupId, isTooLong } from './group-id.ts';
import { StreamsGroupRuntime } from './streams/group-runtime.ts';

interface ClassicGroupsOptions {
  readonly host: GroupHost;
  readonly directory: GroupDirectory;
  /** Returns a unique id. */
  readonly freshId: () => string;
  /** Whether the limit on member metadata allows so many bytes more. */
  readonly hasRoomFor: (bytes: number) => boolean;
}

/** Serves members of the classic protocol, in classic groups and in consumer groups that they have moved to. */
export class ClassicGroups {
  readonly #options: ClassicGroupsOptions;

  constructor(options: ClassicGroupsOptions) {
    this.#options = options;
  }

  async join(request: JoinGroupRequest): Promise<JoinGroupAnswer> {
    const { host, directory, freshId, hasRoomFor } = this.#options;
    const { groupId, memberId, groupInstanceId, clientId } = request;
    if (!isGroupId(groupId)) return refusedJoin('INVALID_GROUP_ID', memberId);
    if ([memberId, groupInstanceId ?? '', clientId].some(isTooLong)) {
      return refusedJoin('INVALID_REQUEST', '');
    }
    const bytes = request.protocols.reduce((sum, { metadata }) => sum + metadata.length, 0);
    if (!hasRoomFor(bytes)) return refusedJoin('POLICY_VIOLATION', memberId);
    if (request.reason !== null) {
      host.log.debug('received join of member', { groupId, memberId, reason: request.reason });
    }
    let group = directory.find(groupId);
    if (group === undefined) {
      if (memberId !== '') return refusedJoin('UNKNOWN_MEMBER_ID', memberId);
      group = ClassicGroupRuntime.empty(groupId, host);
      if (!directory.add(group)) return refusedJoin('POLICY_VIOLATION', memberId);
    }
    if (group instanceof ConsumerGroupRuntime && group.isEmpty) {
      // A group without members takes the type of the next member.
      const classic = group.becomeEmptyClassic();
      directory.replace(group, classic);
      group = classic;
    }
    if (group instanceof StreamsGroupRuntime && group.isEmpty) {
      const classic = group.becomeEmptyClassic();
      directory.replace(group, classic);
      group = classic;
    }
    if (!servesClassicMembers(group)) return refusedJoin('INCONSISTENT_GROUP_PROTOCOL', memberId);
    const freshMemberId = `${groupInstanceId ?? clientId}-${freshId()}`;
    // Member metadata outlives the request buffer.
    const protocols = request.protocols.map(({ name, metadata }) => ({ name, metadata: copyOf(metadata) }));
    const answer = group.join({ ...request, protocols }, freshMemberId);
    directory.forgetIfIdle(group);
    return answer;
  }

  async sync(request: SyncGroupRequest): Promise<SyncGroupAnswer> {
    const { groupId } = request;
    if (!isGroupId(groupId)) return refusedSync('INVALID_GROUP_ID');
    const group = this.#options.directory.find(groupId);
    if (!servesClassicMembers(group)) return refusedSync('UNKNOWN_MEMBER_ID');
    const assignments = request.assignments.map(({ memberId, assignment }) => ({
      memberId,
      assignment: copyOf(assignment),
    }));
    return group.sync({ ...request, assignments });
  }

  heartbeat(heartbeat: GroupHeartbeat): GroupError {
    if (!isGroupId(heartbeat.groupId)) return 'INVALID_GROUP_ID';
    const group = this.#options.directory.find(heartbeat.groupId);
    return servesClassicMembers(group) ? group.heartbeat(heartbeat) : 'UNKNOWN_MEMBER_ID';
  }

  leave({ groupId, members }: LeaveGroupRequest): LeaveGroupAnswer {
    if (!isGroupId(groupId)) return { error: 'INVALID_GROUP_ID', members: [] };
    const { directory } = this.#options;
    const group = directory.find(groupId);
    if (!servesClassicMembers(group)) {
      return { error: 'NONE', members: members.map(() => 'UNKNOWN_MEMBER_ID' as const) };
    }
    const errors = group.leave(members);
    directory.forgetIfIdle(group);
    return { error: 'NONE', members: errors };
  }

  /** Handles agents that are no longer registered: they died, left, or cannot be reached. */
  onAgentsGone(agentIds: ReadonlySet<string>): void {
    const { directory } = this.#options;
    for (const group of [...directory.known()]) {
      if (!(group instanceof ClassicGroupRuntime)) continue;
      group.onAgentsGone(agentIds);
      directory.forgetIfIdle(group);
    }
  }
}

function copyOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
