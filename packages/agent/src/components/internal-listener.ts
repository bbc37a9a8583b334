import { type Route, startHttpListener } from '@weir/http';
import type { AgentPeers } from '@weir/security';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';

interface Needs extends AgentContext {
  readonly pageRoutes: readonly Route[];
  readonly peers: AgentPeers | undefined;
}

/** The listener for other agents, if it is separate from the HTTP listener. */
export const internalListener = {
  name: 'internal listener',
  async start(context: Needs) {
    const internal = await listen(context);
    if (internal !== undefined) context.self.internal = { port: internal.port, isEncrypted: true };
    return started({ internalPort: internal?.port }, () => internal?.close());
  },
};

async function listen({ options, pageRoutes: routes, peers }: Needs) {
  const { tls, host, clock, log, metrics } = options;
  if (tls?.internal === undefined || peers === undefined) return undefined;
  return await startHttpListener({
    name: 'internal',
    host,
    port: tls.internal.port,
    routes,
    tls: {
      certificates: tls.certificates,
      problemOfCaller: (certificate) => peers.problemOfCaller(certificate),
    },
    clock,
    log,
    metrics,
  });
}
