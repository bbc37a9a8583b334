import type {
  ClusterPort,
  ConsumerHeartbeat,
  GroupError,
  GroupHeartbeat,
  ModernHeartbeatAnswer,
  OffsetsAnswer,
  OffsetsCommit,
  OffsetsCommitAnswer,
  OffsetsQuery,
} from '@weir/cluster';
import type { CommitMarks } from '../cluster/commit-marks.ts';
import { brokerLimits } from '../limits.ts';
import { GatheredCalls } from './gathered-calls.ts';
import { offsetWeight } from './portions.ts';

/** The frequent calls about groups, batched. */
export interface GroupCalls {
  readonly heartbeats: GatheredCalls<GroupHeartbeat, GroupError>;
  readonly consumerHeartbeats: GatheredCalls<ConsumerHeartbeat, ModernHeartbeatAnswer>;
  readonly commits: GatheredCalls<OffsetsCommit, OffsetsCommitAnswer>;
  readonly queries: GatheredCalls<OffsetsQuery, OffsetsAnswer>;
  readonly marks: CommitMarks;
}

export function groupCalls(port: ClusterPort, marks: CommitMarks): GroupCalls {
  const weightMax = brokerLimits.gatheredRowsMax;
  return {
    marks,
    heartbeats: new GatheredCalls({
      call: (heartbeats) => port.groupHeartbeats(heartbeats),
      weigh: () => 1,
      weightMax,
    }),
    consumerHeartbeats: new GatheredCalls({
      call: (heartbeats) => port.consumerGroupHeartbeats(heartbeats),
      weigh: ({ subscribedTopicNames, ownedPartitions }) =>
        1 +
        (subscribedTopicNames?.length ?? 0) +
        (ownedPartitions ?? []).reduce((sum, { partitions }) => sum + 1 + partitions.length, 0),
      weightMax,
    }),
    commits: new GatheredCalls({
      call: async (commits) => {
        const answers = await port.commitOffsets(commits);
        marks.hear(answers[0]?.mark);
        return answers;
      },
      weigh: ({ offsets }) => offsets.reduce((sum, offset) => sum + offsetWeight(offset), 1),
      weightMax,
    }),
    queries: new GatheredCalls({
      call: (queries) => port.fetchOffsets(queries),
      weigh: ({ partitions }) => 1 + (partitions?.length ?? brokerLimits.gatheredRowsMax),
      weightMax,
    }),
  };
}
