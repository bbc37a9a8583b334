import type {
  GroupError,
  ModernGroupDescription,
  ModernHeartbeatAnswer,
  ShareHeartbeat,
} from '@weir/cluster';
import type { ByteReader } from '@weir/machine';
import { partitionsAsList } from '../assignors/partitions.ts';
import type { GroupHost, OffsetExpiry, PendingAnswer } from '../group.ts';
import { ModernGroupRuntime, type ModernMachine } from '../modern/group-runtime.ts';
import type { ModernRules } from '../modern/modern-step.ts';
import type { ShareEvents, ShareStep } from './event.ts';
import { nextDeadlineMs, stateOf, step } from './machine.ts';
import { readShareGroup, writeShareGroup } from './record.ts';
import { ShareGroup } from './share-group.ts';
import { simpleAssignor } from './simple-assignor.ts';

const machine: ModernMachine<ShareGroup, ShareEvents, ShareStep, ModernRules> = {
  rulesOf: (host, groupId) => host.shareRules(groupId),
  step,
  nextDeadlineMs,
  stateOf,
  write: writeShareGroup,
};

/** The runtime of a share group. */
export class ShareGroupRuntime extends ModernGroupRuntime<ShareGroup, ShareEvents, ShareStep, ModernRules> {
  readonly type = 'share';
  protected readonly machine = machine;

  static empty(groupId: string, host: GroupHost): ShareGroupRuntime {
    return new ShareGroupRuntime(new ShareGroup(groupId), host, false);
  }

  static read(groupId: string, reader: ByteReader, host: GroupHost): ShareGroupRuntime {
    const sessionDeadlineMs = host.monotonicMs() + host.shareRules(groupId).sessionTimeoutMs;
    return new ShareGroupRuntime(readShareGroup(groupId, reader, sessionDeadlineMs), host, true);
  }

  shareHeartbeat(heartbeat: ShareHeartbeat): PendingAnswer<ModernHeartbeatAnswer> {
    return this.run({ kind: 'heartbeat', heartbeat });
  }

  /** Share groups have acknowledgements instead of committed offsets, so offset requests do not find them. */
  checkCommit(): GroupError {
    return 'GROUP_ID_NOT_FOUND';
  }

  /** To OffsetFetch it has no offsets, as a group that does not exist. */
  checkFetch(): GroupError {
    return 'NONE';
  }

  checkDeleteOffsets(): GroupError {
    return 'GROUP_ID_NOT_FOUND';
  }

  offsetExpiry(): OffsetExpiry {
    return { from: 'never' };
  }

  describeMembers(): ModernGroupDescription {
    return this.describeAs(simpleAssignor, (member) => ({
      memberId: member.memberId,
      rackId: member.rackId,
      epoch: member.epoch ?? this.group.assignmentEpoch,
      clientId: member.clientId,
      clientHost: member.clientHost,
      subscribedTopicNames: member.names,
      assigned: partitionsAsList(member.sentAssignment ?? this.group.targetOf(member.memberId)),
    }));
  }

  protected saveChanges({ isChanged, gone }: ShareStep): Promise<void> | undefined {
    if (gone.length > 0) this.host.membersGone(this, gone);
    return isChanged ? this.save() : undefined;
  }
}
