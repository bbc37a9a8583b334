import type { MetricRow } from '@weir/core';

/** Metrics of the process. Shares are from 0 to 1. */
export const processRows = {
  cpu: {
    name: 'cpu_utilization_os',
    kind: 'gauge',
    help: 'Share of the processor time that this process may use, over the last seconds.',
    labels: [],
  },
  eventLoop: {
    name: 'event_loop_utilization',
    kind: 'gauge',
    help: 'Share of its time that the event loop was busy, over the last seconds.',
    labels: [],
  },
  heapBytes: {
    name: 'heap_used_bytes',
    kind: 'gauge',
    help: 'Bytes of objects on the heap.',
    labels: [],
  },
  bufferBytes: {
    name: 'buffer_bytes',
    kind: 'gauge',
    help: 'Bytes of buffers outside of the heap.',
    labels: [],
  },
  residentBytes: {
    name: 'resident_memory_bytes',
    kind: 'gauge',
    help: 'Bytes of memory that the process occupies.',
    labels: [],
  },
  pressing: {
    name: 'agent_cpu_backpressure',
    kind: 'gauge',
    help: 'Whether Kafka clients are slowed down because the processor is used up.',
    labels: [],
  },
  delay: {
    name: 'agent_cpu_backpressure_delay_seconds',
    kind: 'gauge',
    help: 'How long Kafka clients are asked to wait because the processor is used up.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow<never>>;

export const metadataRows = {
  running: {
    name: 'agent_kafka_metadata_running_requests',
    kind: 'gauge',
    help: 'Metadata requests that are worked on.',
    labels: [],
  },
  waiting: {
    name: 'agent_kafka_metadata_waiting_requests',
    kind: 'gauge',
    help: 'Metadata requests that wait for their turn.',
    labels: [],
  },
} as const satisfies Record<string, MetricRow<never>>;

export const answerBytesRow: MetricRow<never> = {
  name: 'agent_kafka_answer_bytes',
  kind: 'gauge',
  help: 'Bytes of Kafka answers that are being put together or wait to be sent.',
  labels: [],
};
