import type { PipelineType } from './pipeline-types.ts';

/** A configuration to begin with. */
interface PipelineTemplate {
  /** The type of pipelines that it configures. */
  readonly type: PipelineType;
  readonly name: string;
  /** What it does, in one line. */
  readonly about: string;
  readonly yaml: string;
}

/** Templates of pipelines, as the console offers them. */
export const pipelineTemplates: readonly PipelineTemplate[] = [
  {
    type: 'bento',
    name: 'Change records',
    about:
      'Reads a topic, changes every record by a mapping, and writes it to another topic with the same key.',
    yaml: `input:
  kafka_franz_service:
    topics: [orders]
    consumer_group: clean-orders

pipeline:
  processors:
    - mapping: |
        root = this
        root.total = this.price.or(0) * this.count.or(1)
        root.email = deleted()

output:
  kafka_franz_service:
    topic: clean-orders
    key: \${! @kafka_key }
`,
  },
  {
    type: 'bento',
    name: 'Filter records',
    about: 'Copies the records of a topic that match a condition; the others are dropped.',
    yaml: `input:
  kafka_franz_service:
    topics: [events]
    consumer_group: important-events

pipeline:
  processors:
    - mapping: root = if this.level != "error" { deleted() }

output:
  kafka_franz_service:
    topic: important-events
    key: \${! @kafka_key }
`,
  },
  {
    type: 'bento',
    name: 'Route records, with a dead-letter topic',
    about:
      'Chooses the topic by a field. Records that cannot be processed go to a topic of their own with the reason.',
    yaml: `input:
  kafka_franz_service:
    topics: [events]
    consumer_group: route-events

pipeline:
  processors:
    - mapping: |
        root = this
        meta target = this.kind.not_empty()

output:
  fallback:
    - reject_errored:
        kafka_franz_service:
          topic: events-\${! @target }
    - kafka_franz_service:
        topic: events-dead-letters
      processors:
        - mapping: |
            root.record = content().string()
            root.reason = @fallback_error
`,
  },
  {
    type: 'bento',
    name: 'Send records to an HTTP endpoint',
    about: 'Posts batches of records as JSON arrays. A request that fails is repeated, and nothing is lost.',
    yaml: `input:
  kafka_franz_service:
    topics: [events]
    consumer_group: webhook

output:
  http_client:
    url: https://example.com/events
    verb: POST
    headers:
      Content-Type: application/json
      Authorization: Bearer \${secret:webhook-token}
    batching:
      count: 100
      period: 1s
      processors:
        - archive:
            format: json_array
`,
  },
  {
    type: 'bento',
    name: 'Archive a topic to S3',
    about: 'Writes gzipped files of lines to a bucket, by topic and day.',
    yaml: `input:
  kafka_franz_service:
    topics: [events]
    consumer_group: archive
    # Room for a file that is gathered while the one before is written.
    checkpoint_limit: 20000

output:
  aws_s3:
    bucket: my-archive
    region: eu-central-1
    path: \${! @kafka_topic }/\${! now().ts_format("2006-01-02") }/\${! uuid_v4() }.jsonl.gz
    content_type: application/x-ndjson
    credentials:
      id: \${secret:s3-key-id}
      secret: \${secret:s3-secret-key}
    batching:
      count: 10000
      byte_size: 10000000
      period: 1m
      processors:
        - archive:
            format: lines
        - compress:
            algorithm: gzip
`,
  },
  {
    type: 'orbit',
    name: 'Move from another Kafka cluster',
    about: 'Copies topics with their offsets, group offsets and ACLs, until clients move over.',
    yaml: `source_bootstrap_brokers:
  - hostname: old-kafka.example.com
    port: 9092
# Names of environment variables of the agents, without ORBIT_ before them.
source_cluster_credentials:
  sasl_mechanism: scram-512
  sasl_username_env: SOURCE_USERNAME
  sasl_password_env: SOURCE_PASSWORD
  use_tls: true

# The first mapping that matches the whole name of a topic decides about it.
topic_mappings:
  - source_regex: orders|payments
    auto_migration:
      enabled: true
      timeout: 10m

consumer_groups:
  copy_offsets_enabled: true
acls:
  copy_enabled: true
`,
  },
  {
    type: 'data_lake',
    name: 'Write a JSON topic to a table',
    about:
      'Every record becomes a row of three columns. Records that do not fit are kept for a week, with the reason.',
    yaml: `source_clusters:
  - name: main
    bootstrap_brokers:
      - hostname: localhost
        port: 9092
    # For a cluster with logins: names of environment variables of the agents.
    # credentials:
    #   sasl_username_env: WEIR_PIPELINE_USERNAME
    #   sasl_password_env: WEIR_PIPELINE_PASSWORD
    #   use_tls: true

tables:
  - source_cluster_name: main
    source_topic: orders
    source_format: json
    schema_mode: inline
    schema:
      fields:
        - name: id
          type: long
        - name: customer
          type: string
        - name: total
          type: double
    partitioning_scheme: day
    dlq_mode: keep
    dlq_keep_settings:
      retention: 7d
`,
  },
];
