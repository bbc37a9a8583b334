import type { Delivery } from './instances.ts';
import type { Resources } from './resources.ts';

/** Messages on their way from an output `inproc` to an input `inproc` of the same pipeline. */
export class InprocChannel {
  readonly #waiting: Delivery[] = [];
  readonly #readers: ((delivery: Delivery) => void)[] = [];
  #taken = Promise.withResolvers<void>();

  /** The channels of one pipeline have names. */
  static of(resources: Resources, name: string): InprocChannel {
    const channels = channelsOf.get(resources) ?? new Map<string, InprocChannel>();
    channelsOf.set(resources, channels);
    const channel = channels.get(name) ?? new InprocChannel();
    channels.set(name, channel);
    return channel;
  }

  /** Absent if a reader would take a delivery soon. */
  ready(): Promise<void> | undefined {
    return this.#waiting.length === 0 ? undefined : this.#taken.promise.then(() => this.ready());
  }

  put(delivery: Delivery): void {
    const reader = this.#readers.shift();
    if (reader === undefined) this.#waiting.push(delivery);
    else reader(delivery);
  }

  /** Takes back what was not read. */
  withdraw(delivery: Delivery): void {
    const at = this.#waiting.indexOf(delivery);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  take(stop: AbortSignal): Promise<Delivery | undefined> {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#taken.resolve();
      this.#taken = Promise.withResolvers<void>();
    }
    if (next !== undefined || stop.aborted) return Promise.resolve(next);
    return new Promise((resolve) => {
      const reader = (delivery: Delivery | undefined) => {
        stop.removeEventListener('abort', stopped);
        resolve(delivery);
      };
      const stopped = () => {
        this.#readers.splice(this.#readers.indexOf(reader), 1);
        reader(undefined);
      };
      this.#readers.push(reader);
      stop.addEventListener('abort', stopped);
    });
  }
}

const channelsOf = new WeakMap<Resources, Map<string, InprocChannel>>();
