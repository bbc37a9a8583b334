import type { GroupError, ShareGroupDescription, ShareHeartbeat, ShareHeartbeatAnswer } from '@weir/cluster';
import type { ByteReader } from '@weir/machine';
import { partitionsAsList } from '../assignors/partitions.ts';
import type { GroupHost, OffsetExpiry, PendingAnswer } from '../group.ts';
import { ModernGroupRuntime, type ModernMachine } from '../modern/group-runtime.ts';
import type { ShareEffects, ShareEvents } from './event.ts';
import { nextDeadlineMs, stateOf, step } from './machine.ts';
import { readShareGroup, writeShareGroup } from './record.ts';
import { ShareGroup } from './share-group.ts';
import { simpleAssignor } from './simple-assignor.ts';

type Effects = ShareEffects<unknown>;

const machine: ModernMachine<ShareGroup, ShareEvents, Effects> = {
  step: (group, event, host) =>
    step(group, event, host.monotonicMs(), host.shareRules(group.groupId), host.topics),
  nextDeadlineMs: (group, host) => nextDeadlineMs(group, host.shareRules(group.groupId)),
  stateOf,
  write: writeShareGroup,
};

/** The runtime of a share group. */
export class ShareGroupRuntime extends ModernGroupRuntime<ShareGroup, ShareEvents, Effects> {
  readonly type = 'share';
  protected readonly machine = machine;

  static empty(groupId: string, host: GroupHost): ShareGroupRuntime {
    return new ShareGroupRuntime(new ShareGroup(groupId), host, false);
  }

  static read(groupId: string, reader: ByteReader, host: GroupHost): ShareGroupRuntime {
    const sessionDeadlineMs = host.monotonicMs() + host.shareRules(groupId).sessionTimeoutMs;
    return new ShareGroupRuntime(readShareGroup(groupId, reader, sessionDeadlineMs), host, true);
  }

  shareHeartbeat(heartbeat: ShareHeartbeat): PendingAnswer<ShareHeartbeatAnswer> {
    return this.run({ kind: 'heartbeat', heartbeat });
  }

  /** Share groups have acknowledgements instead of committed offsets, so offset requests do not find them. */
  checkCommit(): GroupError {
    return 'GROUP_ID_NOT_FOUND';
  }

  checkFetch(): GroupError {
    return 'GROUP_ID_NOT_FOUND';
  }

  checkDeleteOffsets(): GroupError {
    return 'GROUP_ID_NOT_FOUND';
  }

  offsetExpiry(): OffsetExpiry {
    return { from: 'never' };
  }

  describeMembers(): ShareGroupDescription {
    const { groupId, epoch, assignmentEpoch, members } = this.group;
    return {
      error: 'NONE',
      groupId,
      state: stateOf(this.group),
      epoch,
      assignmentEpoch,
      assignor: simpleAssignor,
      members: Array.from(members.values(), (member) => ({
        memberId: member.memberId,
        rackId: member.rackId,
        epoch: member.epoch ?? assignmentEpoch,
        clientId: member.clientId,
        clientHost: member.clientHost,
        subscribedTopicNames: member.names,
        assigned: partitionsAsList(member.sentAssignment ?? this.group.targetOf(member.memberId)),
      })),
    };
  }

  protected saveChanges({ isChanged, gone }: Effects): Promise<void> | undefined {
    if (gone.length > 0) this.host.membersGone(this, gone);
    return isChanged ? this.save() : undefined;
  }
}
