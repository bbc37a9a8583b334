import type { OutputOf } from '@weir/api/client';

export type Cluster = OutputOf<'list_virtual_clusters'>['virtual_clusters'][number];

export const clusterTypeTitles: Readonly<Record<Cluster['type'], string>> = {
  byoc: 'Kafka',
  byoc_schema_registry: 'Schema registry',
  byoc_data_lake: 'Data lake',
};
