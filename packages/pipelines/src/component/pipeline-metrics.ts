/** What a pipeline counts; the process that runs it decides how it is published. */
export interface PipelineMetrics {
  /** Messages and bytes that an input delivered. */
  received(messages: number, bytes: number): void;
  /** Messages and bytes that an output stored, and how long it took. */
  sent(messages: number, bytes: number, tookMs: number): void;
  /** A component failed on messages. */
  failed(stage: string, messages: number): void;
  /** A metric that the configuration defines, by the processor `metric`. */
  custom(
    kind: 'counter' | 'gauge' | 'timing',
    name: string,
    labels: Readonly<Record<string, string>>,
    value: number,
  ): void;
}

export const noMetrics: PipelineMetrics = { received() {}, sent() {}, failed() {}, custom() {} };
