import { readYaml } from '@weir/pipelines/yaml';
import { checkedValue } from '@weir/pipelines/yaml-schema';
import { tableNameOf, tablesConfiguration } from '@weir/tables/definition';
import type { ConfiguredTable } from '../accounts/workspaces/tables.ts';

/** A table of a configuration, and the configuration with this table alone. */
export interface TableOfConfiguration extends Omit<ConfiguredTable, 'pipelineId'> {
  /** As JSON, which is YAML. */
  readonly yaml: string;
}

/** The tables of a configuration that was checked when it was made; none if a later release does not take it. */
export function configuredTables(yaml: string): readonly TableOfConfiguration[] {
  const reading = readYaml(yaml);
  if ('problems' in reading) return [];
  const {
    source_clusters,
    destination_bucket_url,
    catalog: common,
    tables,
    ...rest
  } = checkedValue(reading.value, tablesConfiguration);
  return tables.map((table) => {
    const { source_cluster_name: sourceCluster, source_topic: topic } = table;
    return {
      name: tableNameOf(sourceCluster, topic),
      sourceCluster,
      topic,
      bucketUrl: table.destination_bucket_url ?? destination_bucket_url,
      ...catalogOf(table.catalog ?? common),
      yaml: JSON.stringify({
        ...rest,
        source_clusters: source_clusters.filter(({ name }) => name === sourceCluster),
        destination_bucket_url,
        catalog: common,
        tables: [table],
      }),
    };
  });
}

function catalogOf(catalog: { readonly type: string } | undefined): Pick<ConfiguredTable, 'catalog'> {
  return catalog === undefined || catalog.type === 'bucket' ? {} : { catalog: JSON.stringify(catalog) };
}
