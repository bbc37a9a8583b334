import type { Client } from '@weir/api';
import { subjectOf } from './schemas.ts';

/** The pipelines of the demo, by name: one makes a topic of another, one enriches records. */
export function demoPipelines(registryUrl: string): Readonly<Record<string, string>> {
  const decode = `    - schema_registry_decode: { url: ${JSON.stringify(registryUrl)} }`;
  return {
    'large-orders': `# Orders of 300 euros and more, for the people who pack them by hand.
input:
  kafka_franz_service: { topics: [orders], consumer_group: large-orders }
pipeline:
  processors:
${decode}
    - mapping: |
        root = match {
          this.total_cents < 30000 => deleted()
          _ => {
            "order_id": this.order_id,
            "customer_id": this.customer_id,
            "total": this.total_cents / 100,
            "currency": this.currency,
            "items": this.items.map_each(item -> item.sku)
          }
        }
output:
  kafka_franz_service: { topic: large-orders, key: '\${! json("order_id") }' }
`,
    'product-views': `# Views of products, with the product and the kind of device beside the path.
input:
  kafka_franz_service: { topics: [page-views], consumer_group: product-views }
pipeline:
  processors:
${decode}
    - mapping: |
        root = if this.path.has_prefix("/products/") { this } else { deleted() }
    - mutation: |
        root.sku = this.path.trim_prefix("/products/")
        root.is_mobile = this.device == "phone"
        root.seconds = (this.duration_ms / 1000).round()
output:
  kafka_franz_service: { topic: product-views, key: '\${! json("sku") }' }
`,
  };
}

interface DemoSource {
  readonly host: string;
  readonly kafkaPort: number;
  readonly registryUrl: string;
  readonly usesTls: boolean;
}

/** The pipelines of the data lake of the demo, by name. They read without a login, as every visitor of the demo may. */
export function demoTablePipelines({
  host,
  kafkaPort,
  registryUrl,
  usesTls,
}: DemoSource): Readonly<Record<string, string>> {
  // The certificate of the demo need not be valid for its address.
  const tls = usesTls ? '\n    credentials: { use_tls: true, tls_insecure_skip_verify: true }' : '';
  return {
    'shop-tables': `# Every order as a row of an Iceberg table, for people who ask with SQL.
source_clusters:
  - name: shop
    bootstrap_brokers: [{ hostname: ${JSON.stringify(host)}, port: ${kafkaPort} }]${tls}
tables:
  - source_cluster_name: shop
    source_topic: orders
    source_format: avro
    schema_mode: registry
    schema_registry_url: ${JSON.stringify(registryUrl)}
    schema_registry_subject: ${subjectOf('orders')}
    partitioning_scheme: day
    commit_interval: 10s
    dlq_mode: keep
`,
  };
}

/** Creates pipelines and starts them. What the user changed in an earlier demo of the directory stays. */
export async function startDemoPipelines(
  client: Client,
  virtual_cluster_id: string,
  pipeline_type: 'bento' | 'data_lake',
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  const on = { virtual_cluster_id };
  const { pipelines } = await client.call('list_pipelines', on);
  for (const [pipeline_name, configuration_yaml] of Object.entries(wanted)) {
    if (pipelines.some(({ name }) => name === pipeline_name)) continue;
    const { pipeline_id } = await client.call('create_pipeline', { ...on, pipeline_name, pipeline_type });
    const target = { ...on, pipeline_id };
    const { configuration_id } = await client.call('create_pipeline_configuration', {
      ...target,
      configuration_yaml,
    });
    const change = { desired_state: 'running', deployed_configuration_id: configuration_id } as const;
    await client.call('change_pipeline_state', { ...target, ...change });
  }
}
