import { durationBucketsSeconds, type MetricRow, type Metrics } from '@weir/core';
import type { PipelineCounts } from '@weir/pipelines/thread';

const byPipeline = ['pipeline_id'] as const;

export const pipelineRows = {
  instances: {
    name: 'agent_active_pipeline_instances',
    kind: 'gauge',
    help: 'Instances of managed pipelines that run on this agent.',
    labels: byPipeline,
  },
  receivedMessages: {
    name: 'pipeline_input_received',
    kind: 'counter',
    help: 'Messages that inputs of a managed pipeline delivered on this agent.',
    labels: byPipeline,
  },
  receivedBytes: {
    name: 'pipeline_input_received_bytes',
    kind: 'counter',
    help: 'Bytes of messages that inputs of a managed pipeline delivered on this agent.',
    labels: byPipeline,
  },
  sentMessages: {
    name: 'pipeline_output_sent',
    kind: 'counter',
    help: 'Messages that outputs of a managed pipeline stored on this agent.',
    labels: byPipeline,
  },
  sentBytes: {
    name: 'pipeline_output_sent_bytes',
    kind: 'counter',
    help: 'Bytes of messages that outputs of a managed pipeline stored on this agent.',
    labels: byPipeline,
  },
  sendSeconds: {
    name: 'pipeline_output_latency_seconds',
    kind: 'histogram',
    help: 'How long outputs of a managed pipeline took to store a batch; at most 200 batches of a second are counted.',
    labels: byPipeline,
    buckets: durationBucketsSeconds,
  },
  failedMessages: {
    name: 'pipeline_errors',
    kind: 'counter',
    help: 'Messages on which a component of a managed pipeline failed, by its stage.',
    labels: ['pipeline_id', 'stage'],
  },
  ended: {
    name: 'pipeline_instances_ended',
    kind: 'counter',
    help: 'Instances of managed pipelines that ended on this agent: done, stopped, or failed.',
    labels: ['pipeline_id', 'outcome'],
  },
  custom: {
    name: 'pipeline_custom',
    kind: 'gauge',
    help: 'Metrics that the processor metric of a managed pipeline defines; tags are names and values.',
    labels: ['pipeline_id', 'name', 'tags'],
  },
} as const satisfies Record<string, MetricRow<string>>;

/** Publishes what instances of pipelines do on an agent. */
export class PipelineMetricSeries {
  readonly #metrics: Metrics;
  readonly #instances = new Map<string, number>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  began(pipelineId: string): void {
    this.#setInstances(pipelineId, (this.#instances.get(pipelineId) ?? 0) + 1);
  }

  ended(pipelineId: string, outcome: 'done' | 'stopped' | 'failed'): void {
    this.#setInstances(pipelineId, (this.#instances.get(pipelineId) ?? 1) - 1);
    this.#metrics.series(pipelineRows.ended, { pipeline_id: pipelineId, outcome }).add(1);
  }

  counted(pipelineId: string, counts: PipelineCounts): void {
    const metrics = this.#metrics;
    const labels = { pipeline_id: pipelineId };
    metrics.series(pipelineRows.receivedMessages, labels).add(counts.receivedMessages);
    metrics.series(pipelineRows.receivedBytes, labels).add(counts.receivedBytes);
    metrics.series(pipelineRows.sentMessages, labels).add(counts.sentMessages);
    metrics.series(pipelineRows.sentBytes, labels).add(counts.sentBytes);
    const latency = metrics.series(pipelineRows.sendSeconds, labels);
    for (const ms of counts.sendMs) latency.observe(ms / 1000);
    for (const [stage, messages] of counts.failed)
      metrics.series(pipelineRows.failedMessages, { ...labels, stage: stage.slice(0, 100) }).add(messages);
    for (const { kind, name, labels: tags, value } of counts.custom) {
      const series = metrics.series(pipelineRows.custom, {
        ...labels,
        name: name.slice(0, 100),
        tags: textOf(tags),
      });
      if (kind === 'counter') series.add(value);
      else series.set(value);
    }
  }

  #setInstances(pipelineId: string, count: number): void {
    if (count > 0) this.#instances.set(pipelineId, count);
    else this.#instances.delete(pipelineId);
    this.#metrics.series(pipelineRows.instances, { pipeline_id: pipelineId }).set(count);
  }
}

function textOf(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
    .slice(0, 200);
}
