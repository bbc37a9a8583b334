import { clusterLimits } from '../limits.ts';
import { compilePattern } from '../patterns/pattern.ts';
import { patternCost } from '../patterns/pattern-cost.ts';
import type { ConfigRow } from './config-row.ts';
import { int, words } from './config-type.ts';

/** Attributes by which a subscription selects clients. */
const selectors = [
  'client_instance_id',
  'client_id',
  'client_software_name',
  'client_software_version',
  'client_source_address',
  'client_source_port',
];

function isMatch(word: string): boolean {
  const equals = word.indexOf('=');
  if (!selectors.includes(word.slice(0, equals).trim())) return false;
  return compilePattern(word.slice(equals + 1).trim()).problem === undefined;
}

/** Limits the total: one text could contain hundreds of patterns that are each cheap enough. */
function areCheap(matches: readonly string[]): boolean {
  const cost = matches.reduce((sum, match) => sum + patternCost(match.slice(match.indexOf('=') + 1)), 0);
  return cost <= clusterLimits.patternCostMax;
}

/** Every config of a client-metrics subscription. */
export const clientMetricsConfigs = {
  'interval.ms': {
    type: int({ min: 100, max: 3_600_000 }),
    default: '300000',
    doc: 'How often clients push their metrics.',
  },
  match: {
    type: words(
      `selector=pattern, with a selector of ${selectors.join(', ')} and few repetitions`,
      isMatch,
      areCheap,
    ),
    default: '',
    doc: 'The clients that are asked: all patterns have to fit. Without any, all clients are.',
  },
  metrics: {
    type: words('prefixes of names of metrics, or "*" for all'),
    default: '',
    doc: 'The metrics that clients push, by the beginnings of their names. Without any, none.',
  },
} as const satisfies Record<string, ConfigRow>;
