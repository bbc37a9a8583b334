import type { PipelineMetrics } from '../component/pipeline-metrics.ts';
import { pipelineLimits } from '../limits.ts';
import type { CustomCount, PipelineCounts } from './thread-messages.ts';

/** Counts what a pipeline does, in bounded memory, until it is taken. */
export class CountedMetrics implements PipelineMetrics {
  #receivedMessages = 0;
  #receivedBytes = 0;
  #sentMessages = 0;
  #sentBytes = 0;
  #sendMs: number[] = [];
  #failed = new Map<string, number>();
  #custom = new Map<string, CustomCount>();

  received(messages: number, bytes: number): void {
    this.#receivedMessages += messages;
    this.#receivedBytes += bytes;
  }

  sent(messages: number, bytes: number, tookMs: number): void {
    this.#sentMessages += messages;
    this.#sentBytes += bytes;
    if (this.#sendMs.length < pipelineLimits.latenciesPerBeatMax) this.#sendMs.push(tookMs);
  }

  failed(stage: string, messages: number): void {
    const name =
      this.#failed.size < pipelineLimits.stagesPerBeatMax || this.#failed.has(stage) ? stage : 'other';
    this.#failed.set(name, (this.#failed.get(name) ?? 0) + messages);
  }

  custom(
    kind: CustomCount['kind'],
    name: string,
    labels: Readonly<Record<string, string>>,
    value: number,
  ): void {
    const key = JSON.stringify([kind, name, labels]);
    const known = this.#custom.get(key);
    if (known === undefined && this.#custom.size >= pipelineLimits.customMetricsPerBeatMax) return;
    const sum = kind === 'counter' ? (known?.value ?? 0) + value : value;
    this.#custom.set(key, { kind, name, labels, value: sum });
  }

  /** Returns what was counted, and begins anew. */
  take(): PipelineCounts {
    const counts = {
      receivedMessages: this.#receivedMessages,
      receivedBytes: this.#receivedBytes,
      sentMessages: this.#sentMessages,
      sentBytes: this.#sentBytes,
      sendMs: this.#sendMs,
      failed: [...this.#failed],
      custom: [...this.#custom.values()],
    };
    this.#receivedMessages = 0;
    this.#receivedBytes = 0;
    this.#sentMessages = 0;
    this.#sentBytes = 0;
    this.#sendMs = [];
    this.#failed = new Map();
    this.#custom = new Map();
    return counts;
  }
}
