/**
 * Which committed offsets of the source are committed here. The copies have the offsets of the source, so that a commit
 * is as valid here as there. A group is never moved backwards, and never while it has members here.
 */

/** A commit at the source. */
interface GroupCommit {
  readonly groupId: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly metadata: string;
}

/** A commit to make here, without a leader epoch: those of the source mean nothing here. */
export interface PlannedCommit extends GroupCommit {
  /** Whether the group is further at the source than the copy is, so that a later round moves it on. */
  readonly isClamped: boolean;
}

/** A group as it is here. */
interface DestinationGroup {
  readonly hasMembers: boolean;
  /** What is committed here; absent if nothing is. */
  readonly committed: (topic: string, partition: number) => number | undefined;
}

export interface CommitRules {
  /** The name here of a topic that is managed; absent for one that is not, or not any more. */
  readonly destinationOf: (sourceTopic: string) => string | undefined;
  readonly groupPrefix: string;
  /** The end of what was copied of a partition here; absent if there is no such partition. */
  readonly highWatermark: (topic: string, partition: number) => number | undefined;
  /** Absent for a group that is not here yet. */
  readonly group: (groupId: string) => DestinationGroup | undefined;
  /** Whether the group has members at the source. */
  readonly isActiveAtSource: (sourceGroupId: string) => boolean;
}

export interface CommitPlan {
  readonly commits: readonly PlannedCommit[];
  /** Groups with members here. Their commits are left alone; one that has members on both sides asks for a person. */
  readonly busy: readonly { readonly groupId: string; readonly isActiveAtSource: boolean }[];
  /** Commits that are further here than at the source, and are left alone. */
  readonly aheadCount: number;
}

export function planCommits(commits: readonly GroupCommit[], rules: CommitRules): CommitPlan {
  const planned: PlannedCommit[] = [];
  const busy = new Map<string, boolean>();
  let aheadCount = 0;
  for (const commit of commits) {
    const topic = rules.destinationOf(commit.topic);
    if (topic === undefined) continue;
    const groupId = rules.groupPrefix + commit.groupId;
    const group = rules.group(groupId);
    if (group?.hasMembers) {
      busy.set(groupId, rules.isActiveAtSource(commit.groupId));
      continue;
    }
    const highWatermark = rules.highWatermark(topic, commit.partition);
    if (highWatermark === undefined) continue;
    // An offset below the start of the copy stays as it is: the reset policy of the client decides.
    const offset = Math.min(commit.offset, highWatermark);
    const committed = group?.committed(topic, commit.partition);
    if (committed !== undefined && committed > offset) aheadCount++;
    if (committed !== undefined && committed >= offset) continue;
    planned.push({ ...commit, groupId, topic, offset, isClamped: offset < commit.offset });
  }
  return {
    commits: planned,
    busy: [...busy].map(([groupId, isActiveAtSource]) => ({ groupId, isActiveAtSource })),
    aheadCount,
  };
}
