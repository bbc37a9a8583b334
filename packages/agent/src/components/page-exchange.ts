import type { ClusterView, ExchangeSecrets, PageExchange } from '@weir/broker';
import { createPageExchange } from '@weir/broker';
import { acceptedSecrets, clusterSecrets } from '@weir/cluster';
import { peersOf } from '@weir/security';
import type { AgentContext } from '../agent-context.ts';
import type { AgentOptions } from '../agent-options.ts';
import { started } from '../component.ts';

export const pageBytes = 4 * 1024 * 1024;

/** The part of this agent in the page cache of its zone. If it has no agent key, there is none. */
export const pageExchange = {
  name: 'page exchange',
  start({ options, view }: AgentContext & { readonly view: ClusterView }) {
    const peers = peersOf(options.tls);
    const { agentKey } = options;
    const exchange = agentKey && exchangeOf(options, agentKey, view, peers);
    return started({ peers, exchange }, () => exchange?.close());
  },
};

function exchangeOf(
  options: AgentOptions,
  agentKey: () => string,
  view: ClusterView,
  peers: ReturnType<typeof peersOf>,
): PageExchange {
  const secrets = view.records(clusterSecrets.pageExchange.namespace);
  const accepted = (): ExchangeSecrets =>
    acceptedSecrets(clusterSecrets.pageExchange, ({ key }) => secrets.byKey.get(key)) ?? [agentKey()];
  return createPageExchange({
    ...options,
    secrets: accepted,
    self: options,
    agents: () => view.agents(),
    pageBytes,
    peers,
  });
}
