import type { ClientInflation, ClusterView } from '@weir/broker';
import { ClientQuotas, ClientTelemetry, ConnectedClients } from '@weir/broker';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';

interface Needs extends AgentContext {
  readonly view: ClusterView;
  readonly inflation: ClientInflation;
}

/** What the agent knows about its clients: their quotas, their metrics, and which of them are connected. */
export const clients = {
  name: 'clients',
  start({ options: { clock, log, metrics }, view, inflation }: Needs) {
    const quotas = new ClientQuotas({ records: view.records('clientQuota'), clock, metrics });
    const clientMetrics = view.records('clientMetrics');
    const telemetry = new ClientTelemetry({ records: clientMetrics, clock, log, metrics, inflation });
    return started({ quotas, telemetry, clients: new ConnectedClients() });
  },
};
