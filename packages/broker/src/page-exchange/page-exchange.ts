import type { AgentDescription } from '@weir/cluster';
import type { Clock, Log, Metrics } from '@weir/core';
import type { Route } from '@weir/http';
import type { AgentPeers } from '@weir/security';
import type { RemotePages } from '../read-path/routed-pages.ts';
import { ExchangeKey, type ExchangeSecrets } from './exchange-key.ts';
import { type PageRoutesOptions, pageRoutes } from './page-routes.ts';
import { PeerClient } from './peer-client.ts';
import { ZonePages } from './zone-pages.ts';

interface PageExchangeOptions {
  readonly clusterId: string;
  readonly self: Pick<AgentDescription, 'agentId' | 'zone' | 'group'>;
  readonly agents: () => readonly AgentDescription[];
  /** Secrets that only the agents of the cluster have. */
  readonly secrets: () => ExchangeSecrets;
  readonly pageBytes: number;
  /** How other agents are authenticated over TLS; if absent, connections to them are plain. */
  readonly peers?: AgentPeers | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One agent's part in the page cache of its zone. */
export interface PageExchange {
  readonly lender: RemotePages;
  routes(lendPage: PageRoutesOptions['lendPage']): Route[];
  close(): void;
}

export function createPageExchange(options: PageExchangeOptions): PageExchange {
  const key = new ExchangeKey(options);
  const { peers, clock } = options;
  const client = new PeerClient({ key, clock, ...(peers === undefined ? {} : { peers }) });
  const { lender } = new ZonePages({ ...options, client });
  return {
    lender,
    routes: (lendPage) => pageRoutes({ ...options, key, lendPage }),
    close: () => client.close(),
  };
}
