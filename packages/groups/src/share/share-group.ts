import type { TopicPartitions } from '../assignors/partitions.ts';
import { ModernGroup, type ModernMember } from '../modern/modern-group.ts';

export interface ShareMember extends ModernMember {
  /** Sorted and unique. Changed by `setNames` only. */
  names: readonly string[];
  /**
   * The last epoch sent to it, and the one before; `undefined` after a failover, when any epoch of the group is valid.
   */
  epoch: number | undefined;
  previousEpoch: number;
  /** The last assignment sent to it. */
  sentAssignment: TopicPartitions | undefined;
}

/**
 * The state of a share group. Partitions are shared, so no member has to revoke before another one gets a partition: a
 * target applies as soon as the member receives it.
 */
export class ShareGroup extends ModernGroup<ShareMember> {
  add(member: ShareMember): void {
    this.setMember(member);
    this.countSubscription(member.memberId, member.names, 1);
  }

  remove(member: ShareMember): void {
    this.targets.delete(member.memberId);
    this.deleteMember(member);
    this.countSubscription(member.memberId, member.names, -1);
  }

  setNames(member: ShareMember, names: readonly string[]): void {
    this.countSubscription(member.memberId, member.names, -1);
    member.names = names;
    this.countSubscription(member.memberId, names, 1);
  }
}
