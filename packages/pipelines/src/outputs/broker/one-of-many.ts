import type { FlushWhen, Output } from '../../component/instances.ts';
import type { Batch } from '../../component/message.ts';
import type { ChildOutputs } from '../child-outputs.ts';

/** Writes each batch to the output whose turn it is. */
export class RoundRobin implements Output {
  readonly #outputs: ChildOutputs;
  #next = 0;

  constructor(outputs: ChildOutputs) {
    this.#outputs = outputs;
  }

  ready(): Promise<void> | undefined {
    return this.#outputs.all[this.#next]!.ready?.();
  }

  write(batch: Batch, stop: AbortSignal): Promise<void> {
    const output = this.#outputs.all[this.#next]!;
    this.#next = (this.#next + 1) % this.#outputs.all.length;
    return output.write(batch, stop);
  }

  flush(when?: FlushWhen): Promise<void> {
    return this.#outputs.flush(when);
  }

  close(): Promise<void> {
    return this.#outputs.close();
  }
}

/** Writes each batch to an output that can take it: the one that has the fewest on their way. */
export class Greedy implements Output {
  readonly #outputs: ChildOutputs;
  readonly #inFlight: number[];

  constructor(outputs: ChildOutputs) {
    this.#outputs = outputs;
    this.#inFlight = outputs.all.map(() => 0);
  }

  ready(): Promise<void> | undefined {
    const waits = this.#outputs.all.map((output) => output.ready?.());
    return waits.includes(undefined) ? undefined : Promise.race(waits);
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    const at = this.#free();
    this.#inFlight[at]!++;
    try {
      await this.#outputs.all[at]!.write(batch, stop);
    } finally {
      this.#inFlight[at]!--;
    }
  }

  #free(): number {
    const places = this.#outputs.all.map((_, at) => at);
    const ready = places.filter((at) => this.#outputs.all[at]!.ready?.() === undefined);
    const among = ready.length > 0 ? ready : places;
    return among.reduce((least, at) => (this.#inFlight[at]! < this.#inFlight[least]! ? at : least));
  }

  flush(when?: FlushWhen): Promise<void> {
    return this.#outputs.flush(when);
  }

  close(): Promise<void> {
    return this.#outputs.close();
  }
}
