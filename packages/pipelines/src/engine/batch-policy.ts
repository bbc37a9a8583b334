import { type Mapping, MappingFailure } from '@weir/bloblang';
import type { ComponentContext } from '../component/component-context.ts';
import { object, type Values } from '../component/field.ts';
import { bytes, children, durationMs, float, int, mapping } from '../component/field-types.ts';
import type { Batch, Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import { Chain } from './chain.ts';

export const batchFields = {
  count: int('Messages of a batch; 0 is any number.').or(0),
  byte_size: bytes('Bytes of a batch; 0 is any size.').or(0),
  period: durationMs('How long a batch that is not full waits for more.').or(''),
  jitter: float('The random part of the period, from 0 to 1.').or(0).advanced(),
  check: mapping('A query; a batch ends with a message for which it is true.').or(''),
  processors: children('processor', 'Applied to a batch when it is complete.').or([]).advanced(),
};

/** How small batches are gathered into larger ones. */
export const batching = object('How messages are gathered into batches.', batchFields);

export type BatchingFields = Values<typeof batchFields>;

/** Whether a policy gathers anything. */
export function gathers({ count, byte_size, period, check }: BatchingFields): boolean {
  return count > 1 || byte_size > 0 || (period ?? 0) > 0 || check !== undefined;
}

/** Decides when a batch is complete. It does no more than count: what gathers keeps the messages. */
export class BatchPolicy {
  readonly #fields: BatchingFields;
  readonly #context: Pick<ComponentContext, 'mappingPorts' | 'random' | 'metrics'>;
  readonly chain: Chain;
  #messages: Message[] = [];
  #byteCount = 0;

  private constructor(
    fields: BatchingFields,
    context: Pick<ComponentContext, 'mappingPorts' | 'random' | 'metrics'>,
    chain: Chain,
  ) {
    this.#fields = fields;
    this.#context = context;
    this.chain = chain;
  }

  static async open(fields: BatchingFields, context: ComponentContext): Promise<BatchPolicy> {
    return new BatchPolicy(fields, context, await Chain.open(fields.processors, context));
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** Messages that were gathered. */
  get messageCount(): number {
    return this.#messages.length;
  }

  /** How long a batch that was begun now waits; absent if it waits for more messages without end. */
  periodMs(): number | undefined {
    const { period, jitter } = this.#fields;
    if (period === undefined || period <= 0) return undefined;
    return period * (1 + jitter * this.#context.random.next());
  }

  /** Adds messages, which belong together; whether the batch is complete, or as large as any may be. */
  add(batch: Batch): boolean {
    const { count, byte_size: bytesMax, check } = this.#fields;
    let isComplete = false;
    for (const message of batch) {
      this.#messages.push(message);
      this.#byteCount += message.byteLength;
      if (check !== undefined && isTrue(check, this.#messages, this.#context.mappingPorts)) isComplete = true;
    }
    return (
      isComplete ||
      (count > 0 && this.#messages.length >= count) ||
      (bytesMax > 0 && this.#byteCount >= bytesMax) ||
      this.#messages.length >= pipelineLimits.inFlightMessagesMax ||
      this.#byteCount >= pipelineLimits.inFlightBytesMax
    );
  }

  /** Returns the messages, and begins another batch. */
  take(): Batch {
    const messages = this.#messages;
    this.#messages = [];
    this.#byteCount = 0;
    if (messages.length > 0) this.#context.metrics.gathered();
    return messages;
  }
}

/** A check that fails on a message ends no batch. */
function isTrue(check: Mapping, batch: Batch, ports: ComponentContext['mappingPorts']): boolean {
  const index = batch.length - 1;
  try {
    const result = check.apply(batch[index]!, { batch, index }, ports);
    return result.kind === 'value' && result.value === true;
  } catch (error) {
    if (error instanceof MappingFailure) return false;
    throw error;
  }
}
