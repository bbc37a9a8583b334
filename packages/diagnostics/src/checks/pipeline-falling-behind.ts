import { defineCheck } from '../check.ts';
import { lagSamplesMax } from '../history.ts';
import { count, counted } from '../number-texts.ts';
import { lagGrowth, lagMin } from './consumer-group-falling-behind.ts';

export const pipelineFallingBehind = defineCheck({
  name: 'pipeline_falling_behind',
  type: 'pipelines',
  source: 'control_plane',
  severity: 'medium',
  title: 'A pipeline falls behind',
  observes: `The lag of the consumer groups of Kafka inputs of pipelines in this cluster, over the last ${count(lagSamplesMax)} runs, as consumer_group_falling_behind does: it grows, and is at least ${count(lagMin)} records.`,
  explanation:
    'The pipeline processes increasingly old records, and loses records once its lag exceeds the retention of its topics.',
  fix: 'Raise service.cluster_concurrency_target, up to the number of partitions that it reads, and give batching to outputs that write message by message. All pipelines of an agent share a rate (-overridePipelinesSharedRateLimitPerVCPU); agents with only the role pipelines have a higher one.',
  run({ groups, pipelines, atMs }, history) {
    if (pipelines === undefined) return { missing: 'pipelines' };
    if (groups === undefined) return { missing: 'group offsets' };
    return pipelines.flatMap(({ name, groupIds, instanceCount }) => {
      const ids = new Set(groupIds);
      const growing = groups.flatMap((group) => {
        const growth = ids.has(group.groupId) ? lagGrowth(group, atMs, history) : undefined;
        return growth === undefined ? [] : [{ groupId: group.groupId, ...growth }];
      });
      const [worst] = growing.toSorted((a, b) => b.lag - a.lag);
      if (worst === undefined) return [];
      return [
        {
          entity: { kind: 'pipeline', name } as const,
          message: `Pipeline ${name}: group ${worst.groupId}: ${worst.text}; ${counted(instanceCount, 'instance')}.`,
          weight: worst.lag,
        },
      ];
    });
  },
});
