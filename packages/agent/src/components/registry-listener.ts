import type { ClusterView } from '@weir/broker';
import { type OwnRegistry, startAgentRegistry } from '@weir/gateway';
import type { CommonContext } from '../agent-context.ts';
import { started } from '../component.ts';
import type { Callers } from './security.ts';

interface Needs
  extends CommonContext<
    | 'registry'
    | 'host'
    | 'advertisedHost'
    | 'hostname'
    | 'tls'
    | 'clusterId'
    | 'clock'
    | 'random'
    | 'log'
    | 'metrics'
  > {
  readonly view: ClusterView;
  readonly ownRegistry: OwnRegistry | undefined;
  readonly callers: Callers;
}

/** The listener of the schema registry, if the agent serves one. */
export const registryListener = {
  name: 'schema registry listener',
  async start(context: Needs) {
    const { self, stop } = context;
    const registry = await listen(context);
    if (registry !== undefined) self.registryPort = registry.port;
    return started({}, () => registry?.stop({ deadlineMs: stop.leftMs() }));
  },
};

async function listen({ options, view, ownRegistry: own, callers }: Needs) {
  const { registry: settings, ...rest } = options;
  if (settings === undefined) return undefined;
  const { checks, principalOf, accessOf, onPasswordLogin } = callers;
  return await startAgentRegistry({
    ...rest,
    settings,
    own,
    tls: options.tls,
    cluster: view.port,
    changes: view,
    checks,
    principalOf,
    accessOf,
    onPasswordLogin,
  });
}
