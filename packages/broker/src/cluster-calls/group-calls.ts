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
  StreamsHeartbeat,
  StreamsHeartbeatAnswer,
  StreamsSubtopology,
} from '@weir/cluster';
import type { CommitMarks } from '../cluster/commit-marks.ts';
import { brokerLimits } from '../limits.ts';
import { GatheredCalls } from './gathered-calls.ts';
import { offsetWeight } from './portions.ts';

/** The frequent calls about groups, batched. */
export interface GroupCalls {
  readonly heartbeats: GatheredCalls<GroupHeartbeat, GroupError>;
  readonly consumerHeartbeats: GatheredCalls<ConsumerHeartbeat, ModernHeartbeatAnswer>;
  readonly streamsHeartbeats: GatheredCalls<StreamsHeartbeat, StreamsHeartbeatAnswer>;
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
    streamsHeartbeats: new GatheredCalls({
      call: (heartbeats) => port.streamsGroupHeartbeats(heartbeats),
      weigh: ({ topology, owned }) =>
        1 +
        (topology === null ? 0 : topology.subtopologies.reduce((sum, part) => sum + topicsOf(part), 0)) +
        [...(owned?.active ?? []), ...(owned?.standby ?? [])].reduce(
          (sum, { partitions }) => sum + 1 + partitions.length,
          0,
        ),
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

function topicsOf(part: StreamsSubtopology): number {
  const { sourceTopics, changelogTopics, repartitionSinkTopics, repartitionSourceTopics } = part;
  return (
    1 +
    sourceTopics.length +
    changelogTopics.length +
    repartitionSinkTopics.length +
    repartitionSourceTopics.length
  );
}
