import { durationBucketsSeconds, type MetricRow, type Metrics } from '@weir/core';
import type { PipelineCounts } from '@weir/pipelines/thread';

const byPipeline = ['pipeline_id'] as const;
const byStage = ['pipeline_id', 'stage'] as const;

export const pipelineRows = {
  instances: {
    name: 'agent_active_pipeline_instances',
    kind: 'gauge',
    help: 'Instances of managed pipelines that run on this agent.',
    labels: byPipeline,
  },
  receivedMessages: {
    name: 'bento_input_received',
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
  settleSeconds: {
    name: 'bento_input_latency_ns',
    kind: 'histogram',
    help: 'Seconds until what inputs of a managed pipeline delivered was written, dropped or given back; at most 200 a second.',
    labels: byPipeline,
    buckets: durationBucketsSeconds,
  },
  gatheredBatches: {
    name: 'bento_batch_created',
    kind: 'counter',
    help: 'Batches that batching policies of a managed pipeline gathered on this agent.',
    labels: byPipeline,
  },
  processorReceived: {
    name: 'bento_processor_received',
    kind: 'counter',
    help: 'Messages that a processor of a managed pipeline got on this agent, by its stage.',
    labels: byStage,
  },
  processorReceivedBatches: {
    name: 'bento_processor_batch_received',
    kind: 'counter',
    help: 'Batches that a processor of a managed pipeline got on this agent, by its stage.',
    labels: byStage,
  },
  processorSent: {
    name: 'bento_processor_sent',
    kind: 'counter',
    help: 'Messages that a processor of a managed pipeline made on this agent, by its stage.',
    labels: byStage,
  },
  processorSentBatches: {
    name: 'bento_processor_batch_sent',
    kind: 'counter',
    help: 'Batches that a processor of a managed pipeline made on this agent, by its stage.',
    labels: byStage,
  },
  processorSeconds: {
    name: 'bento_processor_latency_ns',
    kind: 'histogram',
    help: 'Seconds that a processor of a managed pipeline took for a batch, by its stage; at most 20 a second.',
    labels: byStage,
    buckets: durationBucketsSeconds,
  },
  sentMessages: {
    name: 'bento_output_sent',
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
    name: 'bento_output_latency_ns',
    kind: 'histogram',
    help: 'Seconds that outputs of a managed pipeline took to store a batch; at most 200 a second.',
    labels: byPipeline,
    buckets: durationBucketsSeconds,
  },
  sentBatches: {
    name: 'bento_output_batch_sent',
    kind: 'counter',
    help: 'Batches that outputs of a managed pipeline stored on this agent.',
    labels: byPipeline,
  },
  failedBatches: {
    name: 'bento_output_error',
    kind: 'counter',
    help: 'Batches on which outputs of a managed pipeline failed on this agent.',
    labels: byPipeline,
  },
  inputConnectionsUp: {
    name: 'bento_input_connection_up',
    kind: 'counter',
    help: 'Connections that inputs of a managed pipeline made on this agent; what has no lasting connection counts once it is open.',
    labels: byPipeline,
  },
  inputConnectionsFailed: {
    name: 'bento_input_connection_failed',
    kind: 'counter',
    help: 'Attempts of inputs of a managed pipeline to connect that failed on this agent.',
    labels: byPipeline,
  },
  inputConnectionsLost: {
    name: 'bento_input_connection_lost',
    kind: 'counter',
    help: 'Connections of inputs of a managed pipeline that broke on this agent.',
    labels: byPipeline,
  },
  outputConnectionsUp: {
    name: 'bento_output_connection_up',
    kind: 'counter',
    help: 'Connections that outputs of a managed pipeline made on this agent; what has no lasting connection counts once it is open.',
    labels: byPipeline,
  },
  outputConnectionsFailed: {
    name: 'bento_output_connection_failed',
    kind: 'counter',
    help: 'Attempts of outputs of a managed pipeline to connect that failed on this agent.',
    labels: byPipeline,
  },
  outputConnectionsLost: {
    name: 'bento_output_connection_lost',
    kind: 'counter',
    help: 'Connections of outputs of a managed pipeline that broke on this agent.',
    labels: byPipeline,
  },
  limitsChecked: {
    name: 'bento_rate_limit_checked',
    kind: 'counter',
    help: 'How often components of a managed pipeline asked its rate limits on this agent.',
    labels: byPipeline,
  },
  limitsTriggered: {
    name: 'bento_rate_limit_triggered',
    kind: 'counter',
    help: 'How often rate limits of a managed pipeline said to wait on this agent.',
    labels: byPipeline,
  },
  failedMessages: {
    name: 'pipeline_errors',
    kind: 'counter',
    help: 'Messages on which a component of a managed pipeline failed, by its stage.',
    labels: byStage,
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

const stageCharsMax = 100;
/** Of a pipeline. A configuration may have thousands of processors. */
const stagesMax = 50;

/** Publishes what instances of pipelines do on an agent. */
export class PipelineMetricSeries {
  readonly #metrics: Metrics;
  readonly #instances = new Map<string, number>();
  readonly #stages = new Map<string, Set<string>>();

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
    for (const name of sums) metrics.series(pipelineRows[name], labels).add(counts[name]);
    const settled = metrics.series(pipelineRows.settleSeconds, labels);
    for (const ms of counts.settleMs) settled.observe(ms / 1000);
    const latency = metrics.series(pipelineRows.sendSeconds, labels);
    for (const ms of counts.sendMs) latency.observe(ms / 1000);
    for (const { stage, received, receivedBatches, sent, sentBatches, tookMs } of counts.processors) {
      const ofStage = { ...labels, stage: this.#stageOf(pipelineId, stage) };
      metrics.series(pipelineRows.processorReceived, ofStage).add(received);
      metrics.series(pipelineRows.processorReceivedBatches, ofStage).add(receivedBatches);
      metrics.series(pipelineRows.processorSent, ofStage).add(sent);
      metrics.series(pipelineRows.processorSentBatches, ofStage).add(sentBatches);
      const took = metrics.series(pipelineRows.processorSeconds, ofStage);
      for (const ms of tookMs) took.observe(ms / 1000);
    }
    for (const [stage, messages] of counts.failed) {
      const ofStage = { ...labels, stage: this.#stageOf(pipelineId, stage) };
      metrics.series(pipelineRows.failedMessages, ofStage).add(messages);
    }
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

  #stageOf(pipelineId: string, stage: string): string {
    const known = this.#stages.get(pipelineId) ?? new Set();
    this.#stages.set(pipelineId, known);
    const name = stage.slice(0, stageCharsMax);
    if (known.has(name)) return name;
    if (known.size >= stagesMax) return 'other';
    known.add(name);
    return name;
  }

  #setInstances(pipelineId: string, count: number): void {
    if (count > 0) this.#instances.set(pipelineId, count);
    else this.#instances.delete(pipelineId);
    this.#metrics.series(pipelineRows.instances, { pipeline_id: pipelineId }).set(count);
  }
}

const sums = [
  'receivedMessages',
  'receivedBytes',
  'sentMessages',
  'sentBytes',
  'sentBatches',
  'failedBatches',
  'gatheredBatches',
  'inputConnectionsUp',
  'inputConnectionsFailed',
  'inputConnectionsLost',
  'outputConnectionsUp',
  'outputConnectionsFailed',
  'outputConnectionsLost',
  'limitsChecked',
  'limitsTriggered',
] as const satisfies readonly (keyof PipelineCounts & keyof typeof pipelineRows)[];

function textOf(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
    .slice(0, 200);
}
