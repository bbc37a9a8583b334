import { clusterConfigValue } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import type { OffsetsToForget, PartitionOfTopic } from '@weir/machine';
import type { Group, OffsetExpiry } from './group.ts';
import type { GroupDirectory } from './group-directory.ts';
import type { Submit } from './group-saver.ts';
import type { GroupsMachine } from './groups-machine.ts';
import { isExpired } from './offset-retention.ts';

const sweepIntervalMs = 60_000;
/** The number of offsets that one turn checks, a few milliseconds; other work runs between turns. */
const offsetsPerTurn = 10_000;
const groupsPerTurn = 1_000;
const turnPauseMs = 10;

interface SweepOptions {
  readonly machine: GroupsMachine;
  readonly submit: Submit;
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: GroupDirectory;
}

/**
 * Removes expired offsets, and groups that have neither members nor offsets. Of the newer protocols, a group is removed
 * only if the sweep before found it so, too: its members may have missed a session, and when they are back a group that
 * exists lets them join again, while one that is gone ends them.
 */
export class GroupSweep {
  readonly #options: SweepOptions;
  /** Groups without members and offsets in the sweep before, and in this one. */
  #leftBefore: ReadonlySet<string> = new Set();
  #left = new Set<string>();
  #cancel: () => void = () => {};

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#after(sweepIntervalMs, () => this.#begin());
  }

  close(): void {
    this.#cancel();
  }

  #after(delayMs: number, run: () => void): void {
    this.#cancel = this.#options.clock.after(delayMs, run);
  }

  #begin(): void {
    const { machine, directory } = this.#options;
    const groupIds = new Set(machine.offsets.groupIds());
    for (const { groupId } of directory.all()) groupIds.add(groupId);
    this.#leftBefore = this.#left;
    this.#left = new Set();
    this.#turn([...groupIds], 0);
  }

  #turn(groupIds: readonly string[], start: number): void {
    const expired: OffsetsToForget[] = [];
    let checkedOffsets = 0;
    let at = start;
    while (at < groupIds.length && checkedOffsets < offsetsPerTurn && at - start < groupsPerTurn) {
      const groupId = groupIds[at++]!;
      checkedOffsets += this.#sweepGroup(groupId, expired);
    }
    if (expired.length > 0) this.#forget(expired);
    if (at < groupIds.length) this.#after(turnPauseMs, () => this.#turn(groupIds, at));
    else this.#after(sweepIntervalMs, () => this.#begin());
  }

  /** Returns the number of offsets checked. */
  #sweepGroup(groupId: string, expired: OffsetsToForget[]): number {
    const { machine, directory } = this.#options;
    const group = directory.find(groupId);
    // A share group has no offsets here, and stays until it is deleted explicitly.
    if (group?.type === 'share') return 0;
    const expiry = group?.offsetExpiry() ?? { from: 'commit' };
    const storedCount = machine.offsets.countOf(groupId);
    const partitions = this.#expiredOf(groupId, group, expiry);
    if (partitions.length > 0) expired.push({ groupId, partitions });
    const hasOffsets = partitions.length < storedCount || machine.offsets.hasPendingGroup(groupId);
    if (group !== undefined && !hasOffsets && this.#isLeft(group)) group.delete();
    return storedCount;
  }

  #isLeft(group: Group): boolean {
    if (group.type === 'classic') return true;
    if (group.listing().state !== 'Empty') return false;
    this.#left.add(group.groupId);
    return this.#leftBefore.has(group.groupId);
  }

  #expiredOf(groupId: string, group: Group | undefined, expiry: OffsetExpiry): PartitionOfTopic[] {
    const { machine, clock } = this.#options;
    const expired: PartitionOfTopic[] = [];
    if (expiry.from === 'never') return expired;
    const retentionMs = 60_000 * clusterConfigValue('offsets.retention.minutes', machine.clusterConfigs());
    const nowMs = clock.nowMs();
    for (const offset of machine.offsets.of(groupId)) {
      const { topicNumber, partition } = offset;
      if (!isExpired(offset, expiry, retentionMs, nowMs)) continue;
      if (machine.offsets.isPending(groupId, topicNumber, partition)) continue;
      const name = machine.topicByNumber(topicNumber)?.name;
      if (name !== undefined && group?.isSubscribedTo(name) === true) continue;
      expired.push({ topicNumber, partition });
    }
    return expired;
  }

  #forget(groups: readonly OffsetsToForget[]): void {
    this.#options.submit({ kind: 'forgetOffsets', groups }).catch((error) => {
      this.#options.log.warn('failed to remove expired offsets', { error: String(error) });
    });
  }
}
