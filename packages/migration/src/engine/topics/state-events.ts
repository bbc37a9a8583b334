import type { ManagedTopicView } from '../destination.ts';
import type { MigrationEvent, MigrationEventType } from '../migration-event.ts';

type Known = Pick<ManagedTopicView, 'state' | 'epoch'>;

/** Finds what became of automatic migrations, from the states that agents follow. */
export class StateEvents {
  #known: Map<string, Known> | undefined;

  /** Returns an event for each topic whose state changed since the last call. */
  observe(topics: readonly ManagedTopicView[]): readonly MigrationEvent[] {
    const before = this.#known;
    this.#known = new Map(topics.map(({ topicId, state, epoch }) => [topicId, { state, epoch }]));
    // What was before, another agent has reported.
    if (before === undefined) return [];
    return topics.flatMap((topic) => {
      const known = before.get(topic.topicId);
      if (known === undefined || known.epoch >= topic.epoch) return [];
      const type = typeOf(known.state, topic);
      if (type === undefined) return [];
      return [
        {
          type,
          level: type === 'auto_migration_timed_out' || type === 'auto_migration_aborted' ? 'warn' : 'info',
          topic: topic.name,
          message: messages[type],
          fields: {
            from_state: known.state,
            to_state: topic.state,
            epoch: topic.epoch,
            changed_by: topic.changedBy,
            ...(topic.reason === '' ? {} : { reason: topic.reason }),
          },
        },
      ];
    });
  }
}

const messages: Readonly<Partial<Record<MigrationEventType, string>>> & Record<LifeType, string> = {
  auto_migration_initiated: 'initiated auto-migration: agents pass writes on to the source',
  auto_migration_cut_over_requested: 'requested cut-over of auto-migration',
  auto_migration_blocked: 'blocked writes until the copy has all of the source',
  auto_migration_completed: 'completed auto-migration: clients write here',
  auto_migration_timed_out: 'timed out auto-migration: agents pass writes on to the source',
  auto_migration_aborted: 'aborted auto-migration',
  topic_handed_over: 'handed topic over to clients',
};

type LifeType =
  | 'auto_migration_initiated'
  | 'auto_migration_cut_over_requested'
  | 'auto_migration_blocked'
  | 'auto_migration_completed'
  | 'auto_migration_timed_out'
  | 'auto_migration_aborted'
  | 'topic_handed_over';

function typeOf(before: ManagedTopicView['state'], now: ManagedTopicView): LifeType | undefined {
  if (now.changedBy === 'timeout') return 'auto_migration_timed_out';
  switch (now.state) {
    case 'REPLICATING':
      return before === 'REPLICATING' ? undefined : 'auto_migration_aborted';
    case 'PROXY':
      if (before === 'REPLICATING') return 'auto_migration_initiated';
      return now.deadlineMs === undefined ? 'auto_migration_aborted' : 'auto_migration_cut_over_requested';
    case 'BLOCKED':
      return 'auto_migration_blocked';
    case 'MIGRATED':
      return before === 'BLOCKED' ? 'auto_migration_completed' : 'topic_handed_over';
  }
}
