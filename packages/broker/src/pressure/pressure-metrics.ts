import type { MetricRow } from '@weir/core';

/** Metrics of the process. Shares are from 0 to 1. */
export const processRows = {
  cpu: {
    name: 'cpu_utilization_os',
    kind: 'gauge',
    help: 'CPU utilization of the process, as a share of its CPU limit, over the last seconds.',
    labels: [],
  },
  eventLoop: {
    name: 'event_loop_utilization',
    kind: 'gauge',
    help: 'Event loop utilization over the last seconds.',
    labels: [],
  },
  heapBytes: {
    name: 'heap_used_bytes',
    kind: 'gauge',
    help: 'Used heap bytes.',
    labels: [],
  },
  bufferBytes: {
    name: 'buffer_bytes',
    kind: 'gauge',
    help: 'Bytes of off-heap buffers.',
    labels: [],
  },
  residentBytes: {
    name: 'resident_memory_bytes',
    kind: 'gauge',
    help: 'Resident set size of the process, in bytes.',
    labels: [],
  },
  pressing: {
    name: 'agent_cpu_backpressure',
    kind: 'gauge',
    help: 'Whether Kafka clients are throttled because of high CPU utilization.',
    labels: [],
  },
  delay: {
    name: 'agent_cpu_backpressure_delay_seconds',
    kind: 'gauge',
    help: 'Throttle time of Kafka clients because of high CPU utilization.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow<never>>;

export const metadataRows = {
  running: {
    name: 'agent_kafka_metadata_running_requests',
    kind: 'gauge',
    help: 'Metadata requests in progress.',
    labels: [],
  },
  waiting: {
    name: 'agent_kafka_metadata_waiting_requests',
    kind: 'gauge',
    help: 'Queued metadata requests.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow<never>>;

export const answerBytesRow: MetricRow<never> = {
  name: 'agent_kafka_answer_bytes',
  kind: 'gauge',
  help: 'Bytes of Kafka responses being built or queued for sending.',
  labels: [],
};
