/** Keeps a migration going: its topics, groups and states, and the copies of partitions. */
export { ByteBudget } from './copy/byte-budget.ts';
export { type CopiedTopic, SlotCopy } from './copy/slot-copy.ts';
export type { SlotCopyOptions } from './copy/slot-options.ts';
export type {
  CopiedPart,
  CopyDestination,
  CopyEnd,
  CopyOutcome,
  GroupOffsets,
  GroupOffsetsResult,
  LastBatch,
  LogStartOutcome,
  ManagedLogStart,
  ManagedTopicResult,
  ManagedTopicState,
  ManagedTopicView,
  MigrationState,
  SourceTopicReport,
  StateAnswer,
  StateChanges,
  TopicsDestination,
  TopicToManage,
} from './destination.ts';
export type { MigrationEvent, MigrationEventType } from './migration-event.ts';
export { TopicsRun, type TopicsRunOptions } from './topics/topics-run.ts';
