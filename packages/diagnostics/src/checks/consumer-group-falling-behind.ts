import { defineCheck } from '../check.ts';
import { type GroupHistory, lagSamplesMax } from '../history.ts';
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
  title: 'A consumer group reads more slowly than others write',
  observes: `The lag of groups that do commit, in partitions with a committed offset, over ${count(lagSamplesMax)} looks in three parts: each part has more on average than the one before, the last has more than the first by at least a tenth or by a quarter of what was written meanwhile, and the lag is ${count(lagMin)} records or more.`,
  explanation:
    'What the group processes gets older and older, and when it reaches the retention of its topics it loses records.',
  fix: 'Add members, up to the number of partitions; beyond that, add partitions or make processing faster. Check that no single partition gets most of the records.',
  run({ groups, atMs }, history) {
    if (groups === undefined) return { missing: 'offsets of groups' };
    return groups.flatMap(({ groupId, memberCount, partitions }) => {
      const group = history.groups.get(groupId);
      // A group without any commits is stuck, which is another diagnostic.
      if (group === undefined || memberCount === 0 || atMs - group.movedMs >= stuckMsMin) return [];
      if (!isGrowing(group)) return [];
      const { lags } = group;
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
