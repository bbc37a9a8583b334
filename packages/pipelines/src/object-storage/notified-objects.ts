import { pauseUnlessStopped } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import { nextMessages } from '../aws/sqs-input.ts';
import type { ReceivedMessage, SqsQueue } from '../aws/sqs-queue.ts';
import { SqsSettlements } from '../aws/sqs-settlements.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import type { FoundObject, ObjectSource } from './object-input.ts';

interface Options {
  readonly queue: SqsQueue;
  readonly max: number;
  readonly waitSeconds: number;
  readonly keyPath: string;
  readonly bucketPath: string;
  readonly envelopePath: string;
  /** How long after a notification was sent its objects are read. */
  readonly delayMs: number;
  /** Of notifications that name none. */
  readonly bucket: string;
  open(bucket: string): Promise<ObjectStore>;
}

interface NamedObject {
  readonly bucket: string;
  readonly key: string;
}

/** Notifications name buckets, so that the number of open ones is limited. */
const bucketsMax = 100;
/** Notifications of S3 have one object; others may have more. */
const objectsMax = 10_000;

/**
 * The objects that notifications in a queue name. A notification is deleted when all messages of its objects were
 * written. One whose object could not be cut into messages comes again after the visibility timeout of the queue, and
 * goes to its dead letters if it has any.
 */
export class NotifiedObjects implements ObjectSource {
  readonly #options: Options;
  readonly #context: ComponentContext;
  readonly #settlements: SqsSettlements;
  readonly #stores = new Map<string, ObjectStore>();
  readonly #waiting: ReceivedMessage[] = [];
  readonly #objects: FoundObject[] = [];

  constructor(options: Options, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
    this.#settlements = new SqsSettlements(options.queue, context);
  }

  async next(stop: AbortSignal): Promise<FoundObject | undefined> {
    for (;;) {
      const object = this.#objects.shift();
      if (object !== undefined) return object;
      if (this.#waiting.length === 0)
        this.#waiting.push(...((await nextMessages(this.#options, this.#context, stop)) ?? []));
      const [notification] = this.#waiting;
      if (notification === undefined || !(await this.#isDue(notification, stop))) return undefined;
      await this.#take(notification);
      this.#waiting.shift();
    }
  }

  async close(): Promise<void> {
    const handles = this.#waiting.splice(0).map(({ ReceiptHandle }) => ReceiptHandle);
    if (handles.length > 0) await this.#settlements.release(handles, 0);
    await this.#settlements.end();
    this.#options.queue.close();
    for (const store of this.#stores.values()) await store.close();
  }

  /** Waits as long as the configuration says; false if the pipeline stops meanwhile. */
  async #isDue({ Attributes }: ReceivedMessage, stop: AbortSignal): Promise<boolean> {
    const { delayMs } = this.#options;
    const { clock } = this.#context;
    const sentMs = Number(Attributes?.SentTimestamp ?? clock.nowMs());
    const pauseMs = Math.min(delayMs, sentMs + delayMs - clock.nowMs());
    if (pauseMs > 0) await pauseUnlessStopped(clock, pauseMs, stop);
    return !stop.aborted;
  }

  async #take({ Body: text = '', ReceiptHandle: handle }: ReceivedMessage): Promise<void> {
    const { log, metrics, path } = this.#context;
    let unsettled = 0;
    let isDone = true;
    const settle = async (isObjectDone: boolean) => {
      isDone &&= isObjectDone;
      if (--unsettled === 0 && isDone) this.#settlements.written(handle);
    };
    try {
      const found: FoundObject[] = [];
      for (const { bucket, key } of this.#objectsIn(text))
        found.push({ store: await this.#storeOf(bucket), bucket, key, settle });
      unsettled = found.length;
      // Such as the test event that S3 sends when notifications are set up.
      if (unsettled === 0) this.#settlements.written(handle);
      this.#objects.push(...found);
    } catch (error) {
      // It comes again, and the operator of the queue decides how often.
      log.warn('failed to read a notification', { error: reasonOf(error) });
      metrics.failed(path, 1);
    }
  }

  #objectsIn(text: string): NamedObject[] {
    const { keyPath, bucketPath, envelopePath, bucket: usual } = this.#options;
    let notification: unknown = JSON.parse(text);
    if (envelopePath !== '') {
      const [inner] = textsAt(notification, envelopePath);
      if (inner === undefined) throw new Error(`the notification has no ${envelopePath}`);
      notification = JSON.parse(inner);
    }
    const keys = textsAt(notification, keyPath).map(plainKey);
    const buckets = bucketPath === '' ? [] : textsAt(notification, bucketPath);
    if (keys.length > objectsMax) throw new Error(`the notification names more than ${objectsMax} objects`);
    if (buckets.length > 1 && buckets.length !== keys.length)
      throw new Error(`the notification names ${keys.length} keys and ${buckets.length} buckets`);
    return keys.map((key, at) => {
      const bucket = (buckets.length === 1 ? buckets[0] : buckets[at]) ?? usual;
      if (bucket === '') throw new Error('neither the notification nor the configuration names a bucket');
      return { bucket, key };
    });
  }

  async #storeOf(bucket: string): Promise<ObjectStore> {
    const known = this.#stores.get(bucket);
    if (known !== undefined) return known;
    if (this.#stores.size >= bucketsMax)
      throw new Error(`notifications name more than ${bucketsMax} buckets; ${bucket} is one more`);
    const store = await this.#options.open(bucket);
    this.#stores.set(bucket, store);
    return store;
  }
}

/** S3 escapes keys in notifications as forms do. */
function plainKey(key: string): string {
  return decodeURIComponent(key.replaceAll('+', ' '));
}

/** The texts at a dot path, in which `*` is every item of a list, or every value of an object. */
export function textsAt(value: unknown, path: string): string[] {
  let found: unknown[] = [value];
  for (const part of path.split('.'))
    found = found.flatMap((item): unknown[] => {
      if (typeof item !== 'object' || item === null) return [];
      if (part === '*') return Object.values(item);
      const name = part.replaceAll('~1', '.').replaceAll('~0', '~');
      return Object.hasOwn(item, name) ? [(item as Record<string, unknown>)[name]] : [];
    });
  return found.filter((item) => typeof item === 'string');
}
