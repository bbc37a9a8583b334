/** What happens to a migration, for `orbit_logs`. */
export type MigrationEventType =
  /** The source answers, or does not any more. */
  | 'source_connected'
  | 'source_failed'
  /** A topic is copied from now on, has more partitions, or is deleted as at the source. */
  | 'topic_created'
  | 'topic_refused'
  | 'partitions_added'
  | 'topic_deleted'
  /** Records that the source deleted before they were copied. */
  | 'gap'
  /** The source lost records that were copied, or has another topic of the name. */
  | 'truncation'
  | 'recreation'
  /** A partition is copied no more until an operator decides. */
  | 'partition_stopped'
  | 'group_busy'
  /** The life of an automatic migration. */
  | 'auto_migration_initiated'
  | 'auto_migration_cut_over_requested'
  | 'auto_migration_blocked'
  | 'auto_migration_completed'
  | 'auto_migration_timed_out'
  | 'auto_migration_aborted'
  | 'auto_migration_held_back'
  /** A topic was handed over without a proxy phase. */
  | 'topic_handed_over';

export interface MigrationEvent {
  readonly type: MigrationEventType;
  readonly level: 'info' | 'warn' | 'error';
  /** The topic here, if it is about one. */
  readonly topic?: string | undefined;
  /** Constant, verb first. */
  readonly message: string;
  readonly fields?: Readonly<Record<string, string | number>> | undefined;
}
