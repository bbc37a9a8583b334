import { pauseUnlessStopped } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import type { ReceivedMessage, SqsQueue } from './sqs-queue.ts';
import { SqsSettlements } from './sqs-settlements.ts';

interface SqsInputOptions {
  readonly queue: SqsQueue;
  readonly max: number;
  readonly waitSeconds: number;
  readonly deletes: boolean;
  readonly resetsVisibility: boolean;
}

/** How often a queue without messages is asked that does not wait for them. */
const emptyQueueMs = 500;

/** Messages of a queue that is asked when it is read; `undefined` when the pipeline stops. */
export async function nextMessages(
  { queue, max, waitSeconds }: Pick<SqsInputOptions, 'queue' | 'max' | 'waitSeconds'>,
  { clock }: Pick<ComponentContext, 'clock'>,
  stop: AbortSignal,
): Promise<readonly ReceivedMessage[] | undefined> {
  while (!stop.aborted) {
    try {
      const received = await queue.receive({ max, waitSeconds }, stop);
      if (received.length > 0) return received;
    } catch (error) {
      if (stop.aborted) return undefined;
      throw error;
    }
    if (waitSeconds === 0) await pauseUnlessStopped(clock, emptyQueueMs, stop);
  }
  return undefined;
}

/** Messages of a queue, deleted when they are written; others are handed out again. */
export class SqsInput implements Input {
  readonly #options: SqsInputOptions;
  readonly #context: ComponentContext;
  readonly #settlements: SqsSettlements;
  readonly #waiting: ReceivedMessage[] = [];

  constructor(options: SqsInputOptions, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
    this.#settlements = new SqsSettlements(options.queue, context);
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    if (this.#waiting.length === 0 && !stop.aborted)
      this.#waiting.push(...((await nextMessages(this.#options, this.#context, stop)) ?? []));
    if (stop.aborted) return undefined;
    const message = this.#waiting.shift();
    return message && this.#delivery(message);
  }

  async close(): Promise<void> {
    const handles = this.#waiting.splice(0).map(({ ReceiptHandle }) => ReceiptHandle);
    if (handles.length > 0 && this.#options.resetsVisibility) await this.#settlements.release(handles, 0);
    await this.#settlements.end();
    this.#options.queue.close();
  }

  #delivery(message: ReceivedMessage): Delivery {
    const { deletes, resetsVisibility } = this.#options;
    return {
      batch: [Message.of(message.Body ?? '', metadataOf(message))],
      settle: (error) => {
        if (error === undefined)
          return deletes ? this.#settlements.written(message.ReceiptHandle) : undefined;
        return resetsVisibility ? this.#settlements.failed(message.ReceiptHandle) : undefined;
      },
    };
  }
}

function metadataOf({ MessageId, ReceiptHandle, Attributes, MessageAttributes }: ReceivedMessage) {
  const count = Attributes?.ApproximateReceiveCount;
  return new Map<string, string>([
    ...(MessageId === undefined ? [] : [['sqs_message_id', MessageId] as const]),
    ['sqs_receipt_handle', ReceiptHandle],
    ...(count === undefined ? [] : [['sqs_approximate_receive_count', count] as const]),
    ...Object.entries(MessageAttributes ?? {}).flatMap(([name, { StringValue: text }]) =>
      text === undefined ? [] : [[name, text] as const],
    ),
  ]);
}
