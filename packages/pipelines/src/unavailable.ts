import type { ComponentKind } from './component/component-config.ts';

/** Names that Bento has and this release has not: the message about one says so, not that it is unknown. */
export const unavailableComponents: Readonly<Partial<Record<ComponentKind, ReadonlySet<string>>>> = {
  input: new Set(
    'amqp_1 aws_kinesis azure_cosmosdb azure_queue_storage azure_service_bus_queue azure_table_storage beanstalkd cassandra cockroachdb_changefeed csv cypher discord dynamic etcd file_tail fsevent gcp_bigquery_select gcp_pubsub gcp_spanner_cdc grpc_client hdfs kubernetes_watch mongodb nanomsg nats_kv nats_object_store nats_stream nsq pulsar s2 sftp socket socket_server subprocess twitter_search websocket zmq4 zmq4n'.split(
      ' ',
    ),
  ),
  processor: new Set(
    'awk aws_bedrock_invoke aws_dynamodb_partiql aws_lambda aws_s3 azure_cosmosdb command couchbase elasticsearch file gcp_bigquery_select grok mongodb nats_kv nats_object_store nats_request_reply nlp_classify_text nlp_classify_tokens nlp_extract_features nlp_zero_shot_classify opensnowcat parse_log python sentry_capture sql subprocess template wasm'.split(
      ' ',
    ),
  ),
  output: new Set(
    'amqp_1 aws_dynamodb aws_kinesis aws_kinesis_firehose aws_s3_stream aws_sns azure_cosmosdb azure_queue_storage azure_table_storage beanstalkd cassandra couchbase cypher datadog_logs discord duckdb_append dynamic gcp_bigquery gcp_bigquery_write_api gcp_bigtable gcp_pubsub grpc_client hdfs http_server mongodb nanomsg nats_kv nats_object_store nats_stream nsq pulsar pusher questdb s2 sftp slack_webhook snowflake_put socket splunk_hec sql subprocess websocket zmq4 zmq4n'.split(
      ' ',
    ),
  ),
  cache: new Set(
    'aws_dynamodb couchbase gcp_cloud_storage memcached mongodb nats_kv ristretto sql'.split(' '),
  ),
  buffer: new Set('sqlite system_window'.split(' ')),
};
