import type { Clock } from '@weir/core';
import { planCommits } from '../../groups/plan-commits.ts';
import type { SourceCluster } from '../../source/source-cluster.ts';
import { sourceCommits, sourceGroups } from '../../source/source-groups.ts';
import type { GroupOffsets, ManagedTopicState, TopicsDestination } from '../destination.ts';
import type { MigrationEvent } from '../migration-event.ts';

interface GroupOffsetsOptions {
  readonly source: SourceCluster;
  readonly destination: Pick<TopicsDestination, 'commitOffsets'>;
  readonly groupPrefix: string;
  readonly onEvent: (event: MigrationEvent) => void;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

interface KnownCommit {
  readonly offset: number;
  readonly atMs: number;
}

/** So often what the source still has is committed again, so that groups that rest keep their offsets here. */
const refreshMs = 3_600_000;

/** Commits here what groups committed at the source. */
export class CopiedOffsets {
  readonly #options: GroupOffsetsOptions;
  /**
   * What is committed here as far as is known, by group and place, so that it is not committed again and again. Places
   * have the id of the topic: a copy that was deleted and made again has no commits.
   */
  readonly #committed = new Map<string, Map<string, KnownCommit>>();
  readonly #busy = new Set<string>();

  constructor(options: GroupOffsetsOptions) {
    this.#options = options;
  }

  /** Commits what is new of topics. Returns what could not be read, in lines. */
  round(topics: readonly ManagedTopicState[]): Promise<readonly string[]> {
    return this.#copy(topics, false);
  }

  /**
   * Commits what is new of topics that are about to be handed over: what the source has now is the last of it. Offsets
   * that a transaction of the source is about to replace count as not read.
   */
  lastRound(topics: readonly ManagedTopicState[]): Promise<readonly string[]> {
    return this.#copy(topics, true);
  }

  async #copy(topics: readonly ManagedTopicState[], mustBeStable: boolean): Promise<readonly string[]> {
    const { source, destination, groupPrefix, clock } = this.#options;
    const open = topics.filter(({ migration }) => migration.state !== 'MIGRATED');
    if (open.length === 0) return [];
    const bySource = new Map(open.map((state) => [state.migration.sourceTopic, state]));
    const byName = new Map(open.map((state) => [state.topic.name, state]));
    const { groups, problems } = await sourceGroups(source);
    const placeOf = (topic: string, partition: number) => `${partition} ${byName.get(topic)?.topic.topicId}`;
    const copied = groups.filter(({ type }) => type !== 'share' && type !== 'streams');
    const { commits, pending, problems: unread } = await sourceCommits(source, copied, { mustBeStable });
    const nowMs = clock.monotonicMs();
    const active = new Set(copied.filter(({ state }) => isActive(state)).map(({ groupId }) => groupId));
    const plan = planCommits(commits, {
      destinationOf: (topic) => bySource.get(topic)?.topic.name,
      groupPrefix,
      highWatermark: (topic, partition) => byName.get(topic)?.nextOffset[partition],
      group: (groupId) => {
        const known = this.#committed.get(groupId);
        return known === undefined
          ? undefined
          : {
              hasMembers: false,
              committed: (topic, partition) => {
                const commit = known.get(placeOf(topic, partition));
                return commit === undefined || nowMs - commit.atMs > refreshMs ? undefined : commit.offset;
              },
            };
      },
      isActiveAtSource: (groupId) => active.has(groupId),
    });
    const byGroup = [...Map.groupBy(plan.commits, ({ groupId }) => groupId)];
    for (let at = 0; at < byGroup.length; at += groupsPerCall) {
      const some = byGroup.slice(at, at + groupsPerCall);
      const results = await destination.commitOffsets(
        some.map(
          ([groupId, offsets]): GroupOffsets => ({
            groupId,
            offsets: offsets.map(({ topic, partition, offset, metadata }) => ({
              topicId: byName.get(topic)!.topic.topicId,
              partition,
              offset,
              metadata,
            })),
          }),
        ),
      );
      for (const [index, [groupId, offsets]] of some.entries()) {
        const result = results[index];
        if (result === undefined) continue;
        const atSource = groupId.slice(groupPrefix.length);
        if (result.error === 'NON_EMPTY_GROUP') this.#isBusy(groupId, active.has(atSource));
        if (result.error !== 'NONE') continue;
        this.#busy.delete(groupId);
        const known = this.#committed.get(groupId) ?? new Map<string, KnownCommit>();
        this.#committed.set(groupId, known);
        for (const [number, { topic, partition, offset }] of offsets.entries())
          if (result.offsets[number] === 'NONE')
            known.set(placeOf(topic, partition), { offset, atMs: nowMs });
      }
    }
    const waiting = pending
      .filter(({ topic }) => bySource.has(topic))
      .map(({ groupId }) => `group ${groupId} commits in a transaction of the source that has not ended`);
    return [...problems, ...unread, ...new Set(waiting)];
  }

  #isBusy(groupId: string, isActiveAtSource: boolean): void {
    if (this.#busy.has(groupId)) return;
    this.#busy.add(groupId);
    if (!isActiveAtSource) return;
    this.#options.onEvent({
      type: 'group_busy',
      level: 'warn',
      message: 'left offsets of a group alone that has members here and at the source',
      fields: { group: groupId },
    });
  }
}

const groupsPerCall = 100;

/** Whether a group has members, by the states that brokers spell. */
function isActive(state: string): boolean {
  return !['', 'Empty', 'Dead', 'Unknown'].includes(state);
}
