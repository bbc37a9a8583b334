import type { ConfigResourceKind } from '../calls/admin-calls.ts';
import { configCatalogues } from './config-catalogues.ts';
import { type ConfigRow, documentationOf } from './config-row.ts';
import { type ConfigType, shownText } from './config-type.ts';
import { type ConfigReading, type ConfigSource, type ConfigTexts, readings } from './config-value.ts';

/** One config as DescribeConfigs returns it. */
export interface DescribedConfig {
  readonly name: string;
  /** `null` if there is no value, or if it is sensitive. */
  readonly value: string | null;
  readonly source: ConfigSource;
  readonly isReadOnly: boolean;
  readonly isSensitive: boolean;
  readonly type: ConfigType<unknown>['kafkaType'];
  readonly documentation: string;
  /** All sources with a value, the most specific first, with the names there. The first is effective. */
  readonly synonyms: readonly DescribedSynonym[];
}

interface DescribedSynonym {
  readonly name: string;
  readonly value: string | null;
  readonly source: ConfigSource;
}

interface DescribeOptions {
  /** Configs set on the resource. */
  readonly texts: ConfigTexts;
  readonly clusterTexts: ConfigTexts;
  /** Values of the agent's flags, by the cluster's config names. */
  readonly agentTexts: ConfigTexts;
  /** Configs set on the broker that describes a topic or a group. */
  readonly brokerTexts?: ConfigTexts;
  /** Requested names; `null` for all. Unknown names are omitted. */
  readonly names: readonly string[] | null;
}

/** Returns the configs of a resource, in the order of the catalogue. */
export function describeConfigs(
  kind: ConfigResourceKind,
  { texts, clusterTexts, agentTexts, brokerTexts, names }: DescribeOptions,
): DescribedConfig[] {
  const wanted = names === null ? undefined : new Set(names);
  return Object.entries(configCatalogues[kind].rows)
    .filter(([name]) => wanted?.has(name) ?? true)
    .map(([name, row]) =>
      describeRow(name, row, [...readings(kind, name, texts, clusterTexts, agentTexts, brokerTexts)]),
    );
}

export function describeRow(
  name: string,
  row: ConfigRow,
  readings: readonly ConfigReading[],
): DescribedConfig {
  const isSensitive = row.sensitive === true;
  const synonyms = readings.map(({ name, text, source }) => ({
    name,
    value: isSensitive ? null : shownText(row.type, text),
    source,
  }));
  return {
    name,
    value: synonyms[0]?.value ?? null,
    source: synonyms[0]?.source ?? 'default',
    isReadOnly: row.readOnly === true,
    isSensitive,
    type: row.type.kafkaType,
    documentation: documentationOf(row),
    synonyms,
  };
}
