import type { ManagedTopic, ManagedTopicState, ReportedMigrationTopic } from '@weir/cluster';

/** A topic of two partitions: 100 of 110 offsets are copied of the first, and all 50 of the second. */
export function managedTopic(name: string, migration: Partial<ManagedTopic> = {}): ManagedTopicState {
  return {
    topic: { topicId: `id-${name}`, name, partitionCount: 2, replicationFactor: 1, configs: {} },
    migration: {
      pipelineId: 'pi',
      sourceTopic: name,
      sourceTopicId: '',
      state: 'REPLICATING',
      epoch: 1,
      changedMs: 1_000,
      changedBy: 'migration',
      reason: '',
      ...migration,
    },
    logStartOffset: Float64Array.of(0, 10),
    nextOffset: Float64Array.of(100, 60),
    lastStableOffset: Float64Array.of(100, 60),
    byteCount: 4_096,
    forwardedRecords: 0,
    unconfirmedAgents: [],
  } as unknown as ManagedTopicState;
}

/** What an agent says of its source. */
export function reportOf(topic: string, facts: Partial<ReportedMigrationTopic> = {}): ReportedMigrationTopic {
  return {
    topic,
    sourceTopic: topic,
    topicId: `id-${topic}`,
    sourceStarts: Float64Array.of(0, 10),
    sourceEnds: Float64Array.of(110, 60),
    unchangedReads: 0,
    stopped: [],
    reportedMs: 2_000,
    ...facts,
  };
}
