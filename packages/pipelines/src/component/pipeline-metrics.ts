/** What became of a connection of a component, or of an attempt to make one. */
export type ConnectionChange = 'up' | 'failed' | 'lost';

/** What a pipeline counts; the process that runs it decides how it is published. */
export interface PipelineMetrics {
  /** Messages and bytes that an input delivered. */
  received(messages: number, bytes: number): void;
  /** What an input delivered was written, dropped or given back, so long after it was delivered. */
  settled(tookMs: number): void;
  /** A batching policy has gathered a batch. */
  gathered(): void;
  /** A processor has made messages, in so many batches, of a batch of messages. */
  processed(stage: string, received: number, sent: number, sentBatches: number, tookMs: number): void;
  /** Messages and bytes of a batch that an output stored, and how long it took. */
  sent(messages: number, bytes: number, tookMs: number): void;
  /** The output failed on a batch, of which it may have stored some messages. */
  notSent(): void;
  /** An input or an output has made a connection, could not make one, or lost one. */
  connection(of: 'input' | 'output', change: ConnectionChange): void;
  /** A component failed on messages. */
  failed(stage: string, messages: number): void;
  /** A rate limit was asked; whether it said to wait. */
  limited(isTriggered: boolean): void;
  /** A metric that the configuration defines, by the processor `metric`. */
  custom(
    kind: 'counter' | 'gauge' | 'timing',
    name: string,
    labels: Readonly<Record<string, string>>,
    value: number,
  ): void;
}

export const noMetrics: PipelineMetrics = {
  received() {},
  settled() {},
  gathered() {},
  processed() {},
  sent() {},
  notSent() {},
  connection() {},
  failed() {},
  limited() {},
  custom() {},
};
