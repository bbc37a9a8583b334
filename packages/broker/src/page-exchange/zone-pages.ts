import type { AgentDescription } from '@weir/cluster';
import { type Clock, type Log, type Metrics, Semaphore, SemaphoreFull } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import type { Page } from '../read-path/page.ts';
import type { PageSource } from '../read-path/page-source.ts';
import type { RemotePages } from '../read-path/routed-pages.ts';
import { AvoidedPeers } from './avoided-peers.ts';
import { type PageRequestMetrics, pageRequestMetrics } from './exchange-metrics.ts';
import { type PageKeeper, pageKeepers, pageOwner } from './page-owner.ts';
import type { PeerClient } from './peer-client.ts';
import { PeerFailure, peerFailureReasons } from './peer-failure.ts';

interface ZonePagesOptions {
  /** Its zone is read each time, since an agent may learn it while it runs. */
  readonly self: Pick<AgentDescription, 'agentId' | 'zone' | 'group'>;
  /** The live agents, as the control plane lists them. */
  readonly agents: () => readonly AgentDescription[];
  readonly client: PeerClient;
  readonly pageBytes: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Another agent at one address. */
interface Peer extends PageSource {
  readonly url: string;
}

/**
 * The pages that other agents of the zone keep. A failed agent is avoided for a while by choosing among the others: all
 * agents that avoid it choose the same replacement, so its pages are still read once.
 */
export class ZonePages {
  readonly #options: ZonePagesOptions;
  readonly #metrics: PageRequestMetrics;
  readonly #avoided: AvoidedPeers;
  readonly #slots = new Semaphore({ permits: brokerLimits.peerPageReadsMax });
  #peers = new Map<string, Peer>();
  /** The list and the zone from which the keepers were chosen; a view returns another list object when it changes. */
  #agents: readonly AgentDescription[] | undefined;
  #zone: string | undefined;
  #keepers: readonly PageKeeper[] = [];

  constructor(options: ZonePagesOptions) {
    this.#options = options;
    this.#metrics = pageRequestMetrics(options.metrics);
    this.#avoided = new AvoidedPeers(options.clock);
  }

  /** Returns the agent that keeps a page; `undefined` if it is this one or there is none. */
  readonly lender: RemotePages = (fileId, index) => {
    const { self } = this.#options;
    const keepers = this.#currentKeepers();
    const owner = pageOwner(keepers, fileId, index, (agentId) => this.#avoided.isAvoided(agentId));
    if (owner === undefined || owner.agentId === self.agentId) return undefined;
    this.#avoided.trying(owner.agentId);
    return this.#peer(owner);
  };

  #currentKeepers(): readonly PageKeeper[] {
    const { agents, self } = this.#options;
    const living = agents();
    if (living === this.#agents && self.zone === this.#zone) return this.#keepers;
    this.#agents = living;
    this.#zone = self.zone;
    this.#keepers = pageKeepers(living, self);
    const ids = new Set(this.#keepers.map(({ agent }) => agent.agentId));
    this.#avoided.forgetAllBut(ids);
    this.#peers = new Map([...this.#peers].filter(([agentId]) => ids.has(agentId)));
    return this.#keepers;
  }

  #peer({ agentId, internalUrl: url }: AgentDescription): Peer {
    const found = this.#peers.get(agentId);
    if (found?.url === url) return found;
    const slots = new Semaphore({
      permits: brokerLimits.peerPageReadsPerPeerMax,
      waitingMax: brokerLimits.peerPageReadsWaitingMax,
    });
    const peer: Peer = {
      url,
      read: (fileId, index) => {
        const failuresBefore = this.#avoided.failuresOf(agentId);
        return this.#inTurn(slots, () => {
          // A request that waited for an agent that has failed meanwhile does not wait for it to fail again.
          if (this.#avoided.failuresOf(agentId) !== failuresBefore) {
            throw new PeerFailure('busy', 'agent failed another request recently');
          }
          return this.#request(agentId, url, fileId, index);
        });
      },
    };
    this.#peers.set(agentId, peer);
    return peer;
  }

  async #inTurn(slots: Semaphore, ask: () => Promise<Page>): Promise<Page> {
    try {
      return await slots.run(() => this.#slots.run(async () => ask()));
    } catch (error) {
      if (error instanceof SemaphoreFull) this.#metrics.requested('busy').add(1);
      throw error;
    }
  }

  async #request(agentId: string, url: string, fileId: string, index: number): Promise<Page> {
    const { client, pageBytes, clock } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      const page = await client.read(url, { fileId, index, pageBytes });
      this.#metrics.requested('success').add(1);
      this.#metrics.requestedBytes.add(page.byteLength);
      this.#succeeded(agentId);
      return page;
    } catch (error) {
      this.#failed(agentId, url, error);
      throw error;
    } finally {
      this.#metrics.requestSeconds.observe((clock.monotonicMs() - startMs) / 1000);
      this.#metrics.avoided.set(this.#avoided.count);
    }
  }

  #succeeded(agentId: string): void {
    if (this.#avoided.succeeded(agentId)) {
      this.#options.log.info('resumed reading pages from peer', { peer: agentId });
    }
  }

  #failed(agentId: string, url: string, error: unknown): void {
    const reason = error instanceof PeerFailure ? error.reason : 'broken';
    this.#metrics.requested(reason).add(1);
    if (!peerFailureReasons[reason].isAvoided) {
      this.#succeeded(agentId);
      return;
    }
    // Logged once for an outage, and not for every page.
    if (this.#avoided.failed(agentId)) {
      this.#options.log.warn('failed to read pages from peer, avoiding it', {
        peer: agentId,
        url,
        reason,
        error: String(error),
      });
    }
  }
}
