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
    group: 'clientMetrics',
    doc: 'The interval at which clients push metrics.',
  },
  match: {
    type: words(
      `selector=pattern, with a selector of ${selectors.join(', ')} and a pattern with few repetitions`,
      isMatch,
      areCheap,
    ),
    default: '',
    group: 'clientMetrics',
    doc: 'Selects the clients: all patterns must match. If empty, all clients match.',
  },
  metrics: {
    type: words('metric name prefixes, or "*" for all'),
    default: '',
    group: 'clientMetrics',
    doc: 'The name prefixes of the metrics that clients push. If empty, none.',
  },
} as const satisfies Record<string, ConfigRow>;
