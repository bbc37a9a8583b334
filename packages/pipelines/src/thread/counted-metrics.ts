import type { PipelineMetrics } from '../component/pipeline-metrics.ts';
import { pipelineLimits } from '../limits.ts';
import type { CustomCount, PipelineCounts } from './thread-messages.ts';

/** Counts what a pipeline does, in bounded memory, until it is taken. */
export class CountedMetrics implements PipelineMetrics {
  readonly #begun: () => void;
  #isEmpty = true;
  #receivedMessages = 0;
  #receivedBytes = 0;
  #sentMessages = 0;
  #sentBytes = 0;
  #sendMs: number[] = [];
  #failed = new Map<string, number>();
  #custom = new Map<string, CustomCount>();

  /** `begun` is called when the first thing is counted after all was taken. */
  constructor(begun: () => void = () => {}) {
    this.#begun = begun;
  }

  /** Whether nothing was counted since. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  #note(): void {
    if (!this.#isEmpty) return;
    this.#isEmpty = false;
    this.#begun();
  }

  received(messages: number, bytes: number): void {
    this.#note();
    this.#receivedMessages += messages;
    this.#receivedBytes += bytes;
  }

  sent(messages: number, bytes: number, tookMs: number): void {
    this.#note();
    this.#sentMessages += messages;
    this.#sentBytes += bytes;
    if (this.#sendMs.length < pipelineLimits.latenciesPerBeatMax) this.#sendMs.push(tookMs);
  }

  failed(stage: string, messages: number): void {
    this.#note();
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
    this.#note();
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
    this.#isEmpty = true;
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
