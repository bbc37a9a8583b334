import type {
  ClientQuotas,
  ClientTelemetry,
  ClusterView,
  ConnectedClients,
  ListenerProtocol,
  MeasuredLoads,
  Pressure,
  RequestServer,
} from '@weir/broker';
import { createHandlers, heldUntil } from '@weir/broker';
import { createSasl, type Sasl } from '@weir/security';
import type { AgentContext } from '../agent-context.ts';
import type { AgentOptions } from '../agent-options.ts';
import { started } from '../component.ts';
import type { Callers } from './security.ts';

type Handlers = Parameters<typeof createHandlers>[0];

interface Needs extends AgentContext {
  readonly view: ClusterView;
  readonly loads: MeasuredLoads;
  readonly pressure: Pressure;
  readonly dataHandlers: Pick<
    Handlers,
    'produce' | 'fetch' | 'listOffsets' | 'shareFetch' | 'shareAcknowledge'
  >;
  readonly quotas: ClientQuotas;
  readonly telemetry: ClientTelemetry;
  readonly clients: ConnectedClients;
  readonly callers: Callers;
}

/** The handlers of Kafka requests, for one or several listeners. Requests wait until the cluster knows the agent. */
export const requests = {
  name: 'requests',
  start({ options, self, view, loads, pressure, dataHandlers, quotas, telemetry, clients, callers }: Needs) {
    const { clock, log } = options;
    const { accessOf, checks, onPasswordLogin } = callers;
    /** All of them share one data path, one set of quotas and one list of clients. */
    const serverWith = (sasl: Sasl | undefined, listenerProtocol: ListenerProtocol): RequestServer =>
      heldUntil(
        self.known,
        createHandlers({
          cluster: view,
          clock,
          log,
          self: () => self.now(),
          agentConfigs: { 'message.max.bytes': String(options.recordBytesMax) },
          listenerProtocol,
          defaultStrategy: options.defaultStrategy,
          zoneOfAddress: options.zoneOfAddress,
          loads,
          metadataQueue: pressure.metadataQueue,
          metadataAsksLeader: options.metadataAsksLeader,
          slowDown: pressure.slowDown,
          quotas,
          accessOf,
          telemetry,
          clients,
          sasl,
          ...dataHandlers,
        }),
      );
    const sasl = options.sasl && createSasl({ ...options, settings: options.sasl, checks, onPasswordLogin });
    return started({ serverWith, server: serverWith(sasl, listenerProtocolOf(options)) });
  },
};

/** Kafka's name for the security of the listener. */
function listenerProtocolOf({ sasl, tls }: AgentOptions): ListenerProtocol {
  const transport = tls?.kafka === undefined ? 'PLAINTEXT' : 'SSL';
  return sasl?.isRequired === true ? `SASL_${transport}` : transport;
}
