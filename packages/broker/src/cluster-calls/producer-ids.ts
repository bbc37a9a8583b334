import type { ClusterPort } from '@weir/cluster';

/**
 * Producer ids of this agent, allocated from the cluster in blocks. Callers that find the block empty share one call.
 */
export class ProducerIds {
  readonly #port: Pick<ClusterPort, 'allocateProducerIds'>;
  readonly #blockSize: number;
  #next = 0;
  #end = 0;
  #refill: Promise<void> | undefined;

  constructor(port: Pick<ClusterPort, 'allocateProducerIds'>, blockSize: number) {
    this.#port = port;
    this.#blockSize = blockSize;
  }

  /** Ids below `atLeast` of the present block are not used any more. */
  async next(atLeast = 0): Promise<number> {
    if (this.#next < atLeast) this.#next = this.#end;
    // More callers than ids may wait for one block, so the last of them need another.
    while (this.#next === this.#end) {
      this.#refill ??= this.#takeBlock();
      await this.#refill;
    }
    return this.#next++;
  }

  async #takeBlock(): Promise<void> {
    try {
      this.#next = await this.#port.allocateProducerIds(this.#blockSize);
      this.#end = this.#next + this.#blockSize;
    } finally {
      this.#refill = undefined;
    }
  }
}
