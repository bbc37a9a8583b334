import { defineCheck } from '../check.ts';
import { lagSamplesMax } from '../history.ts';
import { laggingPartitions } from '../lagging-partitions.ts';
import { count, counted } from '../number-texts.ts';
import { stuckMsMin } from './consumer-group-stuck.ts';

/** A smaller lag is consumed in a moment. */
export const lagMin = 1000;
const growthMin = 1.1;

export const consumerGroupFallingBehind = defineCheck({
  name: 'consumer_group_falling_behind',
  type: 'consumers',
  source: 'control_plane',
  severity: 'medium',
  title: 'A consumer group reads more slowly than others write',
  observes: `The lag of groups that do commit, in partitions with a committed offset, over ${count(lagSamplesMax)} looks in three parts: each part has more on average than the one before, the last at least a tenth more than the first, and the lag is ${count(lagMin)} records or more.`,
  explanation:
    'What the group processes gets older and older, and when it reaches the retention of its topics it loses records.',
  fix: 'Add members, up to the number of partitions; beyond that, add partitions or make processing faster. Check that no single partition gets most of the records.',
  run({ groups, atMs }, history) {
    if (groups === undefined) return { missing: 'offsets of groups' };
    return groups.flatMap(({ groupId, memberCount, partitions }) => {
      const { lags, movedMs } = history.groups.get(groupId) ?? { lags: [], movedMs: 0 };
      // A group without any commits is stuck, which is another diagnostic.
      if (memberCount === 0 || atMs - movedMs >= stuckMsMin || !isGrowing(lags)) return [];
      const lag = lags.at(-1)!;
      return [
        {
          entity: { kind: 'group', name: groupId } as const,
          message: `The lag of group ${groupId} grew from ${count(lags[0]!)} to ${counted(lag, 'record')} within ${count(lags.length)} looks, in ${laggingPartitions(partitions)}; the group has ${counted(memberCount, 'member')}.`,
          weight: lag,
        },
      ];
    });
  },
});

/**
 * Compares thirds instead of single samples, because members commit periodically and the lag of one sample is noisy.
 */
function isGrowing(lags: readonly number[]): boolean {
  if (lags.length < lagSamplesMax || lags.at(-1)! < lagMin) return false;
  const third = Math.floor(lags.length / 3);
  const first = average(lags.slice(0, third));
  const second = average(lags.slice(third, -third));
  const last = average(lags.slice(-third));
  return first < second && second < last && last >= growthMin * first;
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
