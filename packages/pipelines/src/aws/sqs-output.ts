import { isUtf8 } from 'node:buffer';
import { textOf } from '@weir/bloblang';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';
import { type QueuedMessage, type SqsQueue, sqsBatchMax } from './sqs-queue.ts';

interface SqsOutputOptions {
  readonly queue: SqsQueue;
  /** A queue that keeps the order of messages of a group. */
  readonly isOrdered: boolean;
  /** Throws if a query fails. */
  optionsOf(batch: Batch, index: number): Omit<QueuedMessage, 'MessageBody' | 'MessageAttributes'>;
  keepsMetadata(name: string): boolean;
}

/** Of a request, with the names and values of attributes. */
const requestBytesMax = 256 * 1024;
/** A message has at most so many attributes. */
const attributesMax = 10;
const attributeName = /^(?!aws\.|amazon\.|\.)(?!.*\.\.)[\w.-]{1,256}(?<!\.)$/i;
/** What messages of SQS cannot have: control characters. */
const forbidden = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Sends messages to a queue, ten at a time, and knows which the queue did not take. */
export class SqsOutput implements Output {
  readonly #options: SqsOutputOptions;

  constructor(options: SqsOutputOptions) {
    this.#options = options;
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    const failed = new Map<number, Error>();
    let places: number[] = [];
    let messages: QueuedMessage[] = [];
    let bytes = 0;
    const flush = async () => {
      if (messages.length === 0) return;
      const [sent, at] = [messages, places];
      [messages, places, bytes] = [[], [], 0];
      try {
        for (const [place, error] of await this.#options.queue.send(sent, stop))
          failed.set(at[place]!, error);
      } catch (error) {
        for (const place of at) failed.set(place, error as Error);
      }
    };
    for (const index of batch.keys()) {
      try {
        const message = this.#messageOf(batch, index);
        const size = sizeOf(message);
        if (messages.length === sqsBatchMax || bytes + size > requestBytesMax) await flush();
        // What comes after a message that was not taken must not overtake it.
        if (this.#options.isOrdered && failed.size > 0) throw new Error('an earlier message was not taken');
        messages.push(message);
        places.push(index);
        bytes += size;
      } catch (error) {
        await flush();
        failed.set(index, error as Error);
      }
    }
    await flush();
    if (failed.size > 0) throw new BatchFailure(failed);
  }

  async close(): Promise<void> {
    this.#options.queue.close();
  }

  #messageOf(batch: Batch, index: number): QueuedMessage {
    const message = batch[index]!;
    if (!isUtf8(message.content))
      throw new Error('the message is not UTF-8, which SQS requires; encode it, for example as base64');
    const text = message.content.toString();
    if (text === '') throw new Error('the message is empty, which SQS refuses');
    if (forbidden.test(text)) throw new Error('the message has a control character, which SQS refuses');
    const attributes = this.#attributesOf(message);
    return {
      MessageBody: text,
      ...(attributes.length > 0 && { MessageAttributes: Object.fromEntries(attributes) }),
      ...this.#options.optionsOf(batch, index),
    };
  }

  /** The first ten by name, as texts; what cannot be an attribute is left out. */
  #attributesOf({ metadata }: Message) {
    return [...metadata]
      .filter(([name]) => attributeName.test(name) && this.#options.keepsMetadata(name))
      .map(([name, value]) => [name, textOf(value)] as const)
      .filter(([, text]) => text !== '' && !forbidden.test(text))
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .slice(0, attributesMax)
      .map(([name, text]) => [name, { DataType: 'String', StringValue: text } as const] as const);
  }
}

function sizeOf({ MessageBody, MessageAttributes = {} }: QueuedMessage): number {
  const attributes = Object.entries(MessageAttributes);
  return attributes.reduce(
    (sum, [name, { StringValue }]) => sum + name.length + 'String'.length + Buffer.byteLength(StringValue),
    Buffer.byteLength(MessageBody),
  );
}
