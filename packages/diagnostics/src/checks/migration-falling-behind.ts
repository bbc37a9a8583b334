import { defineCheck } from '../check.ts';
import { lagSamplesMax } from '../history.ts';
import { count, counted } from '../number-texts.ts';

/** A smaller lag is copied in a moment. */
const lagMin = 10_000;

export const migrationFallingBehind = defineCheck({
  name: 'migration_falling_behind',
  type: 'pipelines',
  source: 'agent',
  severity: 'medium',
  title: 'A migration falls behind its source',
  observes: `The offsets that all copies of a running migration lack, over the last ${count(lagSamplesMax)} runs: more at the end than at the beginning and in the middle, and ${count(lagMin)} or more.`,
  explanation:
    'The source gets records faster than they are copied. The migration never catches up, and loses what the source deletes before it is copied.',
  fix: 'Raise service.cluster_fetch_concurrency in its configuration, add agents with the role jobs, and check the network and the quotas of the source: agents wait as long as its throttle times say.',
  kinds: ['kafka'],
  run({ migration }, { migrationLags: lags }) {
    if (migration === undefined) return { missing: 'migration' };
    if (migration === null || lags.length < lagSamplesMax) return [];
    const [first, middle, last] = [lags[0]!, lags[Math.floor(lags.length / 2)]!, lags.at(-1)!];
    if (last < lagMin || !(first < middle && middle < last)) return [];
    return [
      {
        entity: { kind: 'pipeline', name: migration.name } as const,
        message: `Migration ${migration.name}: lag grew from ${count(first)} to ${counted(last, 'offset')} over ${count(lags.length)} runs.`,
        weight: last,
      },
    ];
  },
});
