import { ApiError } from '@weir/api';
import type { ManagedTopicState, MigrationState, MigrationStateChanges } from '@weir/cluster';
import { isCuttingOver } from './migration-status.ts';

/** What a person may do with topics of a migration. The engine does the rest of the way. */
export type TransitionName = 'start forwarding' | 'initiate' | 'abort' | 'roll back' | 'hand over';

interface TransitionRule {
  readonly to: MigrationState;
  /** Whether a topic can do it now. Those that cannot are left out, or refused if they were named. */
  isPossible(topic: ManagedTopicState): boolean;
  /** Why a named topic cannot, in words that follow its name. */
  refusalOf(topic: ManagedTopicState): string;
}

const done = 'is migrated, which is final';

const rules: Readonly<Record<TransitionName, TransitionRule>> = {
  'start forwarding': {
    to: 'PROXY',
    isPossible: ({ migration }) => migration.state === 'REPLICATING',
    refusalOf: ({ migration }) => (migration.state === 'MIGRATED' ? done : 'is forwarded already'),
  },
  initiate: {
    to: 'PROXY',
    isPossible: (topic) => topic.migration.state === 'PROXY' && !isCuttingOver(topic),
    refusalOf: (topic) =>
      topic.migration.state === 'MIGRATED'
        ? done
        : isCuttingOver(topic)
          ? 'is being cut over already; abort that first to give it another time'
          : 'is not forwarded yet; start forwarding, and point its producers at the agents',
  },
  abort: {
    to: 'PROXY',
    isPossible: isCuttingOver,
    refusalOf: ({ migration }) => (migration.state === 'MIGRATED' ? done : 'is not being cut over'),
  },
  'roll back': {
    to: 'REPLICATING',
    isPossible: ({ migration }) => migration.state === 'PROXY' || migration.state === 'BLOCKED',
    refusalOf: ({ migration }) => (migration.state === 'MIGRATED' ? done : 'is not forwarded'),
  },
  'hand over': {
    to: 'MIGRATED',
    isPossible: ({ migration }) => migration.state === 'REPLICATING' || migration.state === 'PROXY',
    refusalOf: ({ migration }) =>
      migration.state === 'MIGRATED' ? done : 'is being cut over; abort that first',
  },
};

/** Returns the topics that a transition is about: those that are named, all or none, else all that can. */
export function topicsToChange(
  name: TransitionName,
  managed: readonly ManagedTopicState[],
  named: readonly string[] | undefined,
): readonly ManagedTopicState[] {
  const { isPossible, refusalOf } = rules[name];
  if (named === undefined) {
    const found = managed.filter(isPossible);
    if (found.length === 0)
      throw new ApiError('conflict', `The migration has no topic that can ${name} now.`);
    return found;
  }
  const byName = new Map(managed.map((topic) => [topic.topic.name, topic]));
  return [...new Set(named)].map((topicName) => {
    const topic = byName.get(topicName);
    if (topic === undefined)
      throw new ApiError(
        'not_found',
        `The migration has no topic ${topicName}; see orbit/describe_migration.`,
      );
    if (!isPossible(topic)) throw new ApiError('conflict', `The topic ${topicName} ${refusalOf(topic)}.`);
    return topic;
  });
}

interface ChangeOptions {
  readonly by: string;
  readonly reason: string;
  readonly deadlineMs?: number | undefined;
  readonly abortsTransactions?: boolean | undefined;
}

/** The commands of a transition, one after the other. Each changes its topics together or not at all. */
export function changesOf(
  name: TransitionName,
  pipelineId: string,
  topics: readonly ManagedTopicState[],
  { by, reason, deadlineMs, abortsTransactions }: ChangeOptions,
): MigrationStateChanges {
  const { to } = rules[name];
  return {
    pipelineId,
    topics: topics.map(({ topic, migration: { state, epoch } }) => ({
      topicId: topic.topicId,
      from: state,
      epoch,
    })),
    to,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    by,
    reason,
    ...(to === 'MIGRATED' ? { isIrreversible: true } : {}),
    ...(abortsTransactions === true ? { abortsTransactions: true } : {}),
  };
}
