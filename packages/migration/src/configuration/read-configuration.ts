import { compilePattern } from '@weir/cluster/patterns';
import { formatDurationMs, MiB, parseDurationMs } from '@weir/core';
import {
  type ConfigurationProblem,
  entryOf,
  readYaml,
  type TextPlace,
  type YamlMapping,
  type YamlValue,
} from '@weir/pipelines/yaml';
import { checkedValue, problemsOf } from '@weir/pipelines/yaml-schema';
import { migrationLimits } from '../limits.ts';
import { type MappingFields, type MigrationFields, migrationConfiguration } from './configuration-schema.ts';
import { credentialProblems, credentialsOf } from './credential-fields.ts';
import type { MigrationConfiguration, TopicMapping } from './migration-configuration.ts';

export type ConfigurationReading =
  | { readonly configuration: MigrationConfiguration }
  | { readonly problems: readonly ConfigurationProblem[] };

export const usualTimeoutMs = 10 * 60_000;
const usualFetchConcurrency = 2;
const usualFetchBytesMax = 100 * MiB;
const usualPartitionBytesMax = 50 * MiB;

/** Reads a configuration, or all that is wrong with it, each with its line and column. Nothing is asked of others. */
export function readConfiguration(given: string | YamlValue): ConfigurationReading {
  if (typeof given !== 'string') return configurationOf(given);
  const reading = readYaml(given);
  return 'problems' in reading ? { problems: reading.problems } : configurationOf(reading.value);
}

function configurationOf(value: YamlValue): ConfigurationReading {
  const formProblems = problemsOf(value, migrationConfiguration);
  if (formProblems.length > 0) return { problems: formProblems };
  const fields: MigrationFields = checkedValue(value, migrationConfiguration);
  const found = new FieldProblems(value);
  checkLimits(fields, found);
  for (const { field, rule } of credentialProblems(fields.source_cluster_credentials ?? {}))
    found.add(['source_cluster_credentials', field], rule);
  const mappings = fields.topic_mappings.map((mapping, index) => mappingOf(mapping, index, found));
  findUnreached(fields.topic_mappings, found);
  if (found.problems.length > 0) return { problems: found.problems };
  const { service = {}, consumer_groups: groups = {} } = fields;
  return {
    configuration: {
      brokers: fields.source_bootstrap_brokers,
      credentials: fields.source_cluster_credentials && credentialsOf(fields.source_cluster_credentials),
      mappings: mappings.filter((mapping) => mapping !== undefined),
      copiesClusterConfiguration: fields.cluster_config?.copy_source_cluster_configuration ?? false,
      copiesAcls: fields.acls?.copy_enabled ?? false,
      groups: {
        copiesOffsets: groups.copy_offsets_enabled ?? true,
        destinationPrefix: groups.destination_group_prefix ?? '',
      },
      fetchConcurrency: service.cluster_fetch_concurrency ?? usualFetchConcurrency,
      fetchBytesMax: service.fetch_config?.fetch_max_bytes ?? usualFetchBytesMax,
      partitionBytesMax: partitionBytesMaxOf(fields),
      fetchBytesPerSecond: service.fetch_config?.fetch_max_bytes_per_second,
    },
  };
}

function partitionBytesMaxOf({ service }: MigrationFields): number {
  const { fetch_max_bytes: all, fetch_max_partition_bytes: one } = service?.fetch_config ?? {};
  return one ?? Math.min(usualPartitionBytesMax, all ?? usualPartitionBytesMax);
}

function checkLimits(fields: MigrationFields, found: FieldProblems): void {
  const { source_bootstrap_brokers: brokers, topic_mappings: mappings, service } = fields;
  const { configuredBrokersMax, configuredMappingsMax, fetchConcurrencyMax, fetchBytesMin, fetchBytesMax } =
    migrationLimits;
  if (brokers.length > configuredBrokersMax)
    found.add(['source_bootstrap_brokers'], `has more than ${configuredBrokersMax} brokers`);
  if (mappings.length > configuredMappingsMax)
    found.add(['topic_mappings'], `has more than ${configuredMappingsMax} mappings`);
  if ((service?.cluster_fetch_concurrency ?? 1) > fetchConcurrencyMax)
    found.add(['service', 'cluster_fetch_concurrency'], `is more than ${fetchConcurrencyMax}`);
  for (const field of ['fetch_max_bytes', 'fetch_max_partition_bytes'] as const) {
    const bytes = service?.fetch_config?.[field];
    if (bytes !== undefined && (bytes < fetchBytesMin || bytes > fetchBytesMax))
      found.add(['service', 'fetch_config', field], `is not from ${fetchBytesMin} to ${fetchBytesMax}`);
  }
  const { cluster_fetch_concurrency: fetches = usualFetchConcurrency } = service ?? {};
  const { fetch_max_bytes_per_second: rate } = service?.fetch_config ?? {};
  const [rateMin, rateMax] = [fetches * fetchBytesMin, migrationLimits.fetchBytesPerSecondMax];
  if (rate !== undefined && (rate < rateMin || rate > rateMax))
    found.add(
      ['service', 'fetch_config', 'fetch_max_bytes_per_second'],
      `is not from ${rateMin}, ${fetchBytesMin} for each of ${fetches} fetches, to ${rateMax}`,
    );
  const { fetch_max_bytes: all = usualFetchBytesMax, fetch_max_partition_bytes: one = 0 } =
    service?.fetch_config ?? {};
  if (one > all)
    found.add(
      ['service', 'fetch_config', 'fetch_max_partition_bytes'],
      `is more than fetch_max_bytes, ${all}`,
    );
}

function mappingOf(fields: MappingFields, index: number, found: FieldProblems): TopicMapping | undefined {
  const at = (...path: readonly string[]) => ['topic_mappings', index, ...path];
  const pattern = compilePattern(fields.source_regex);
  if (pattern.problem !== undefined)
    found.add(at('source_regex'), `is no regular expression: ${pattern.problem}`);
  const { enabled: isEnabled = false, timeout } = fields.auto_migration ?? {};
  const timeoutMs = timeout === undefined ? usualTimeoutMs : parseDurationMs(timeout);
  const { autoMigrationTimeoutMsMin: min, autoMigrationTimeoutMsMax: max } = migrationLimits;
  if (timeoutMs === undefined || timeoutMs < min || timeoutMs > max)
    found.add(
      at('auto_migration', 'timeout'),
      `is not a duration from ${formatDurationMs(min)} to ${formatDurationMs(max)}, such as 10m`,
    );
  if (timeout !== undefined && !isEnabled)
    found.add(at('auto_migration', 'timeout'), 'has no effect without enabled: true');
  const isHandedOver = fields.irreversible_disable_orbit_management ?? false;
  if (isHandedOver && isEnabled)
    found.add(
      at('irreversible_disable_orbit_management'),
      'hands the topics over without a migration; it cannot be combined with auto_migration',
    );
  if (pattern.problem !== undefined || timeoutMs === undefined) return undefined;
  return {
    sourceRegex: fields.source_regex,
    matches: pattern.matches,
    cost: pattern.cost,
    destinationPrefix: fields.destination_prefix ?? '',
    beginsAtEnd: fields.begin_fetch_at_latest_offset ?? false,
    isHandedOver,
    followsDeletions: fields.follow_topic_deletions ?? false,
    autoMigration: { isEnabled, timeoutMs },
  };
}

/** Expressions that match every topic, so that later ones match none. */
const matchesAll: ReadonlySet<string> = new Set(['.*', '.+', '^.*$', '^.+$', '(.*)', '(.+)']);

/** The first mapping that matches decides, so that one after its like is a mistake. */
function findUnreached(mappings: readonly MappingFields[], found: FieldProblems): void {
  const seen = new Map<string, number>();
  let all: number | undefined;
  for (const [index, { source_regex: regex }] of mappings.entries()) {
    const same = seen.get(regex);
    const path = ['topic_mappings', index, 'source_regex'];
    if (same !== undefined) found.add(path, `is that of topic_mappings[${same}], which matches first`);
    else if (all !== undefined)
      found.add(path, `is never reached: topic_mappings[${all}] matches every topic; put it last`);
    else seen.set(regex, index);
    if (matchesAll.has(regex)) all ??= index;
  }
}

/** Collects problems with their places. */
class FieldProblems {
  readonly #root: YamlValue;
  readonly problems: ConfigurationProblem[] = [];

  constructor(root: YamlValue) {
    this.#root = root;
  }

  /** An absent value has the place of what should have it. */
  add(path: readonly (string | number)[], rule: string): void {
    const subject = path.map((part, at) =>
      typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`,
    );
    this.problems.push({ place: this.#placeOf(path), message: `${subject.join('')}: ${rule}` });
  }

  #placeOf(path: readonly (string | number)[]): TextPlace {
    let value = this.#root;
    for (const part of path) {
      const next =
        value.kind === 'mapping'
          ? entryOf(value as YamlMapping, String(part))?.value
          : value.kind === 'list'
            ? value.items[Number(part)]
            : undefined;
      if (next === undefined) break;
      value = next;
    }
    return value.place;
  }
}
