import type { ConnectionChange, PipelineMetrics } from '../component/pipeline-metrics.ts';
import { pipelineLimits } from '../limits.ts';
import type { CustomCount, PipelineCounts, ProcessorCounts } from './thread-messages.ts';

type Mutable<Counts> = { -readonly [Name in keyof Counts]: Counts[Name] };
type Sums = Mutable<Omit<PipelineCounts, 'settleMs' | 'sendMs' | 'processors' | 'failed' | 'custom'>>;
type ProcessorSums = Mutable<ProcessorCounts> & { readonly tookMs: number[] };

const noSums = (): Sums => ({
  receivedMessages: 0,
  receivedBytes: 0,
  sentMessages: 0,
  sentBytes: 0,
  sentBatches: 0,
  failedBatches: 0,
  gatheredBatches: 0,
  inputConnectionsUp: 0,
  inputConnectionsFailed: 0,
  inputConnectionsLost: 0,
  outputConnectionsUp: 0,
  outputConnectionsFailed: 0,
  outputConnectionsLost: 0,
  limitsChecked: 0,
  limitsTriggered: 0,
});

const connectionCounts = {
  input: { up: 'inputConnectionsUp', failed: 'inputConnectionsFailed', lost: 'inputConnectionsLost' },
  output: { up: 'outputConnectionsUp', failed: 'outputConnectionsFailed', lost: 'outputConnectionsLost' },
} as const satisfies Record<string, Record<ConnectionChange, keyof Sums>>;

/** The name of all stages beyond the limit. */
const otherStage = 'other';

/** Counts what a pipeline does, in bounded memory, until it is taken. */
export class CountedMetrics implements PipelineMetrics {
  readonly #begun: () => void;
  #isEmpty = true;
  #sums = noSums();
  #settleMs: number[] = [];
  #sendMs: number[] = [];
  #processors = new Map<string, ProcessorSums>();
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

  #note(): Sums {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#begun();
    }
    return this.#sums;
  }

  received(messages: number, bytes: number): void {
    const sums = this.#note();
    sums.receivedMessages += messages;
    sums.receivedBytes += bytes;
  }

  settled(tookMs: number): void {
    this.#note();
    if (this.#settleMs.length < pipelineLimits.latenciesPerBeatMax) this.#settleMs.push(tookMs);
  }

  gathered(): void {
    this.#note().gatheredBatches++;
  }

  processed(stage: string, received: number, sent: number, sentBatches: number, tookMs: number): void {
    this.#note();
    let counts = this.#processors.get(stage);
    if (counts === undefined) {
      const name = this.#processors.size < pipelineLimits.stagesPerBeatMax ? stage : otherStage;
      counts = this.#processors.get(name) ?? {
        stage: name,
        received: 0,
        receivedBatches: 0,
        sent: 0,
        sentBatches: 0,
        tookMs: [],
      };
      this.#processors.set(name, counts);
    }
    counts.received += received;
    counts.receivedBatches++;
    counts.sent += sent;
    counts.sentBatches += sentBatches;
    if (counts.tookMs.length < pipelineLimits.processorLatenciesPerBeatMax) counts.tookMs.push(tookMs);
  }

  sent(messages: number, bytes: number, tookMs: number): void {
    const sums = this.#note();
    sums.sentMessages += messages;
    sums.sentBytes += bytes;
    sums.sentBatches++;
    if (this.#sendMs.length < pipelineLimits.latenciesPerBeatMax) this.#sendMs.push(tookMs);
  }

  notSent(): void {
    this.#note().failedBatches++;
  }

  connection(of: 'input' | 'output', change: ConnectionChange): void {
    this.#note()[connectionCounts[of][change]]++;
  }

  failed(stage: string, messages: number): void {
    this.#note();
    const name =
      this.#failed.size < pipelineLimits.stagesPerBeatMax || this.#failed.has(stage) ? stage : otherStage;
    this.#failed.set(name, (this.#failed.get(name) ?? 0) + messages);
  }

  limited(isTriggered: boolean): void {
    const sums = this.#note();
    sums.limitsChecked++;
    if (isTriggered) sums.limitsTriggered++;
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
      ...this.#sums,
      settleMs: this.#settleMs,
      sendMs: this.#sendMs,
      processors: [...this.#processors.values()],
      failed: [...this.#failed],
      custom: [...this.#custom.values()],
    };
    this.#isEmpty = true;
    this.#sums = noSums();
    this.#settleMs = [];
    this.#sendMs = [];
    this.#processors = new Map();
    this.#failed = new Map();
    this.#custom = new Map();
    return counts;
  }
}
