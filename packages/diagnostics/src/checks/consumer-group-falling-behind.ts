import { defineCheck } from '../check.ts';
import type { GroupFacts } from '../diagnostic-snapshot.ts';
import { type ClusterHistory, type GroupHistory, lagSamplesMax } from '../history.ts';
import { laggingPartitions } from '../lagging-partitions.ts';
import { count, counted } from '../number-texts.ts';
import { stuckMsMin } from './consumer-group-stuck.ts';

/** A smaller lag is consumed in a moment. */
export const lagMin = 1000;
/** The least growth, as a share of the lag: it finds a group that falls behind slowly, while its lag is small. */
const lagGrowthMin = 0.1;
/**
 * The least growth, as a share of what was written meanwhile: it finds a group however large its lag is by now. Members
 * that commit every few minutes let the averages of a steady lag differ by up to a fifth of what is written.
 */
const unreadShareMin = 0.25;

export const consumerGroupFallingBehind = defineCheck({
  name: 'consumer_group_falling_behind',
  type: 'consumers',
  source: 'control_plane',
  severity: 'medium',
  title: 'Consumer group lag grows',
  observes: `The lag of committing groups, over the last ${count(lagSamplesMax)} runs in three windows: the average grows from window to window, by at least a tenth in total or a quarter of the records produced meanwhile, and the lag is at least ${count(lagMin)} records. Partitions without a committed offset do not count, and groups of pipelines are pipeline_falling_behind.`,
  explanation:
    'The group processes increasingly old records, and loses records once its lag exceeds the retention of its topics.',
  fix: 'Add members, up to the number of partitions; beyond that, add partitions or speed up processing. Check that no single partition receives most of the records.',
  run({ groups, pipelines = [], atMs }, history) {
    if (groups === undefined) return { missing: 'group offsets' };
    const ofPipelines = new Set(pipelines.flatMap(({ groupIds }) => groupIds));
    return groups.flatMap((group) => {
      const { groupId, memberCount } = group;
      const growth = ofPipelines.has(groupId) ? undefined : lagGrowth(group, atMs, history);
      if (growth === undefined) return [];
      return [
        {
          entity: { kind: 'group', name: groupId } as const,
          message: `Group ${groupId}: ${growth.text}; ${counted(memberCount, 'member')}.`,
          weight: growth.lag,
        },
      ];
    });
  },
});

/** How the lag of a group that falls behind grew; `undefined` if it does not. */
export function lagGrowth(
  { groupId, memberCount, partitions }: GroupFacts,
  atMs: number,
  { groups }: ClusterHistory,
): { readonly lag: number; readonly text: string } | undefined {
  const group = groups.get(groupId);
  // A group without any commits is stuck, which is another diagnostic.
  if (group === undefined || memberCount === 0 || atMs - group.movedMs >= stuckMsMin) return undefined;
  if (!isGrowing(group)) return undefined;
  const { lags } = group;
  const lag = lags.at(-1)!;
  return {
    lag,
    text: `lag grew from ${count(lags[0]!)} to ${counted(lag, 'record')} over ${count(lags.length)} runs, in ${laggingPartitions(partitions)}`,
  };
}

/**
 * Compares thirds instead of single samples, because members commit periodically and the lag of one sample is noisy.
 */
function isGrowing({ lags, written }: GroupHistory): boolean {
  if (lags.length < lagSamplesMax || lags.at(-1)! < lagMin) return false;
  const [first, second, last] = thirds(lags);
  const [writtenFirst, , writtenLast] = thirds(written);
  if (!(first < second && second < last)) return false;
  const growth = last - first;
  const unreadShare = growth / (writtenLast - writtenFirst);
  // A lag that grew by more than was written belongs to offsets that were reset.
  return growth >= lagGrowthMin * first || (unreadShare >= unreadShareMin && unreadShare <= 1);
}

/** The averages of the first, the second and the last third. */
function thirds(samples: readonly number[]): readonly [first: number, second: number, last: number] {
  const third = Math.floor(samples.length / 3);
  return [
    average(samples.slice(0, third)),
    average(samples.slice(third, -third)),
    average(samples.slice(-third)),
  ];
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
