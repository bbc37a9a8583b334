import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf } from '@weir/broker/testing';
import { Metrics } from '@weir/core';
import { startAgentUnderTest } from '../testing/running-agent.ts';

/**
 * Metric names that are part of the public interface, with type and labels. Those of stores and of calls have their own
 * tests.
 */
const documented: readonly [name: string, type: 'counter' | 'gauge' | 'histogram', ...labels: string[]][] = [
  ['agent_kafka_produce_records_counter', 'counter'],
  ['agent_kafka_fetch_records_counter', 'counter'],
  ['agent_kafka_produce_compressed_bytes_counter', 'counter'],
  ['agent_kafka_produce_uncompressed_bytes_counter', 'counter'],
  ['agent_produce_outcome', 'counter', 'outcome'],
  ['agent_produce_backpressure_count', 'counter', 'kafka_method', 'backpressure_source'],
  ['agent_segment_batcher_flush_file_size_compressed_bytes', 'histogram'],
  ['agent_segment_batcher_flush_file_size_uncompressed_bytes', 'histogram'],
  ['agent_segment_batcher_flush_new_file_duration', 'histogram'],
  ['agent_segment_batcher_flush_write_to_duration', 'histogram'],
  ['agent_segment_batcher_flush_put_file_duration', 'histogram'],
  ['agent_segment_batcher_flush_total_duration', 'histogram'],
  ['agent_segment_batcher_flush_num_batches', 'counter'],
  ['agent_segment_batcher_flush_num_records_counter', 'counter'],
  ['agent_segment_batcher_flush_outcome', 'counter', 'outcome'],
  ['agent_kafka_fetch_compressed_bytes_counter', 'counter'],
  ['agent_kafka_request_count', 'counter', 'kafka_key'],
  ['agent_kafka_request_latency', 'histogram', 'kafka_key', 'outcome'],
  ['agent_kafka_request_outcome', 'counter', 'kafka_key', 'outcome'],
  ['agent_kafka_inflight_connections', 'gauge'],
  ['agent_kafka_inflight_requests', 'gauge'],
  ['agent_connection_throttle_count', 'counter'],
  ['agent_net_kafka_tcp_idle_conn_close', 'counter'],
  ['agent_net_kafka_tcp_limit_listener_acquire_count', 'counter'],
  ['agent_file_cache_client_fetch_local_or_remote_counter', 'counter', 'outcome', 'source'],
  ['node_heartbeat', 'counter', 'outcome', 'mechanism'],
  ['cpu_utilization_os', 'gauge'],
];

/** Our own metrics, which the interface has no name for. */
const additional: typeof documented = [
  ['agent_kafka_connection_closed_counter', 'counter', 'reason'],
  ['agent_kafka_request_bytes_counter', 'counter'],
  ['agent_kafka_response_bytes_counter', 'counter'],
  ['agent_kafka_answer_bytes', 'gauge'],
  ['agent_kafka_metadata_running_requests', 'gauge'],
  ['agent_kafka_metadata_waiting_requests', 'gauge'],
  ['agent_file_cache_bytes', 'gauge'],
  ['agent_cpu_backpressure', 'gauge'],
  ['agent_cpu_backpressure_delay_seconds', 'gauge'],
  ['event_loop_utilization', 'gauge'],
  ['heap_used_bytes', 'gauge'],
  ['buffer_bytes', 'gauge'],
  ['resident_memory_bytes', 'gauge'],
];

interface Family {
  readonly type: string;
  readonly labels: string;
}

/** Parses a scrape: types and labels of every series, by metric name. */
function familiesIn(text: string): Map<string, Family[]> {
  const types = new Map<string, string>();
  const found = new Map<string, Family[]>();
  for (const line of text.trim().split('\n')) {
    const typed = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (typed !== null) types.set(typed[1]!, typed[2]!);
    if (line.startsWith('#')) continue;
    const [, series, inBraces] =
      /^([a-z0-9_]+)\{([^}]*)\} \S+$/.exec(line) ?? assert.fail(`no sample: ${line}`);
    const base = series!.replace(/_(?:bucket|sum|count)$/, '');
    const name = types.has(series!) ? series! : base;
    const labels = [...inBraces!.matchAll(/(\w+)="/g)]
      .map(([, label]) => label)
      .filter((label) => label !== 'le');
    found.set(name, [...(found.get(name) ?? []), { type: types.get(name)!, labels: labels.join() }]);
  }
  return found;
}

test('an agent that has done some work publishes all metrics of the interface', async (t) => {
  const metrics = new Metrics({ agent_version: 'v830' });
  const under = await startAgentUnderTest(t, { metrics });
  under.cluster.addTopic('t');
  const disconnected = await under.connect();
  disconnected.socket.destroy();
  const client = await under.connect();
  await client.call('Produce', 9, {
    transactionalId: null,
    acks: -1,
    timeoutMs: 1000,
    topicData: [{ name: 't', partitionData: [{ index: 0, records: batchOf(['a', 'b']) }] }],
  });
  await client.call('Fetch', 11, {
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: 1000,
    sessionEpoch: -1,
    topics: [{ topic: 't', partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1000 }] }],
    forgottenTopicsData: [],
  });
  const text = await (await fetch(`http://127.0.0.1:${under.agent.httpPort}/metrics`)).text();
  const families = familiesIn(text);
  for (const [name, type, ...labels] of [...documented, ...additional]) {
    const series = families.get(`service_${name}`);
    assert.ok(series, `${name} is not there`);
    for (const one of series)
      assert.deepEqual(one, { type, labels: ['agent_version', ...labels].join() }, name);
  }
  assert.match(text, /^service_agent_kafka_produce_records_counter\{agent_version="v830"\} 2$/m);
  assert.match(text, /^service_agent_kafka_fetch_records_counter\{agent_version="v830"\} 2$/m);
  assert.match(text, /^service_agent_produce_outcome\{agent_version="v830",outcome="success"\} 1$/m);
});
