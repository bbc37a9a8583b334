import type { ClusterPort, Pointers } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import { DamagedRange } from '../read-path/damaged-range.ts';
import type { ReadPath } from '../read-path/read-path.ts';
import type { DamageRegistry, KnownDamage } from './damage-registry.ts';

interface DamageRechecksOptions {
  readonly damage: DamageRegistry;
  readonly port: Pick<ClusterPort, 'findBatches'>;
  readonly readPath: Pick<ReadPath, 'searchBatches'>;
  readonly clock: Clock;
  readonly log: Log;
}

const intervalMs = 30_000;

/**
 * Rechecks damaged ranges periodically, so that the end of the damage is noticed even if no consumer reads them any
 * more.
 */
export class DamageRechecks {
  readonly #options: DamageRechecksOptions;
  #cancel = () => {};
  #isStopped = false;

  constructor(options: DamageRechecksOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, log } = this.#options;
    this.#cancel = clock.after(intervalMs, () => {
      this.run()
        .catch((error: unknown) => log.debug('failed to recheck damaged files', { error: String(error) }))
        .finally(() => {
          if (!this.#isStopped) this.start();
        });
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Rechecks the ranges with the oldest check. */
  async run(): Promise<void> {
    for (const damage of this.#options.damage.known().slice(0, brokerLimits.damageRechecksMax)) {
      if (this.#isStopped) return;
      await this.#recheck(damage);
    }
  }

  async #recheck(known: KnownDamage): Promise<void> {
    const { damage, port, readPath } = this.#options;
    const { topicId, partition, nextOffset, fileId } = known;
    // The last offset, since the log may start inside the range by now.
    const query = { topicId, partition, offset: nextOffset - 1, bytesMax: 1 };
    const { error, pointers } = (await port.findBatches([query]))[0]!;
    if (error !== 'NONE') return damage.gone(known);
    if (pointers.fileId[0] !== fileId) return damage.gone(known);
    try {
      await readPath.searchBatches(firstRow(pointers), () => undefined);
      damage.recovered(known);
    } catch (problem) {
      // An unavailable store does not decide whether the file is damaged.
      if (problem instanceof DamagedRange) damage.found(topicId, partition, problem);
    }
  }
}

function firstRow(pointers: Pointers): Pointers {
  return {
    fileId: pointers.fileId.slice(0, 1),
    byteStart: pointers.byteStart.slice(0, 1),
    byteLength: pointers.byteLength.slice(0, 1),
    baseOffset: pointers.baseOffset.slice(0, 1),
    nextOffset: pointers.nextOffset.slice(0, 1),
  };
}
