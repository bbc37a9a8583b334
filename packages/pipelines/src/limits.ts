/** Limits of pipelines. */
export const pipelineLimits = {
  /** Messages and bytes that a pipeline has read and not yet written. */
  inFlightMessagesMax: 20_000,
  inFlightBytesMax: 64 * 1024 * 1024,
  /** How often outputs write what they gathered while the pipeline waits for them. */
  flushEveryMs: 100,
  /** Pauses before an input or an output is tried again. */
  retryMsFirst: 100,
  retryMsMax: 10_000,
  /** Bytes of a failed message that are logged if a configuration asks for them. */
  loggedPayloadBytesMax: 4096,
} as const;
