import { type ClusterPort, managedTopicNamespace } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { ManagedWrites } from './managed-writes.ts';

interface ConfirmationsOptions {
  readonly agentId: string;
  readonly view: Pick<ClusterView, 'records'>;
  readonly port: Pick<ClusterPort, 'confirmMigrationStates'>;
  readonly writes: Pick<ManagedWrites, 'confirmations' | 'confirmed'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** How soon a change is confirmed: producers wait for it during a cut-over. */
const pollMs = 25;
/** A confirmation is also what allows the agent to pass batches on (`forwardLeaseMs`). */
const repeatMs = 1_000;

/** Reports to the leader what the agent does with topics that are being migrated, as long as there are any. */
export class Confirmations {
  readonly #options: ConfirmationsOptions;
  #cancel: () => void = () => {};
  #isStopped = false;
  #sent = '';
  #sentMs = Number.NEGATIVE_INFINITY;

  constructor(options: ConfirmationsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(pollMs, () => void this.#poll());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #poll(): Promise<void> {
    const { view, writes, port, agentId, clock, log } = this.#options;
    if (view.records(managedTopicNamespace).byKey.size > 0) {
      const confirmations = writes.confirmations();
      const epochs = JSON.stringify(confirmations.map(({ topicId, epoch }) => [topicId, epoch]));
      const sentMs = clock.monotonicMs();
      if (confirmations.length > 0 && (epochs !== this.#sent || sentMs - this.#sentMs >= repeatMs)) {
        this.#sentMs = sentMs;
        try {
          await port.confirmMigrationStates(agentId, confirmations);
          this.#sent = epochs;
          writes.confirmed(sentMs);
        } catch (error) {
          log.debug('failed to confirm states of managed topics', { error: String(error) });
        }
      }
    }
    if (!this.#isStopped) this.start();
  }
}
