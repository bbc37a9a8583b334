import type { ClientQuotas, ListenerLimits, Pressure, RequestServer, WritePath } from '@weir/broker';
import { startKafkaListener } from '@weir/broker';
import { bareAddress } from '@weir/security';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';
import type { Callers } from './security.ts';

interface Needs extends AgentContext {
  readonly server: RequestServer;
  readonly limits: ListenerLimits;
  readonly pressure: Pressure;
  readonly quotas: ClientQuotas;
  readonly callers: Callers;
  readonly writePath: WritePath;
  readonly stopping: AbortController;
}

/** The listener of Kafka clients. It stops together with the write path. */
export const kafkaListener = {
  name: 'Kafka listener',
  async start(context: Needs) {
    const { options, self, stop } = context;
    const { tls, clock, log, metrics } = options;
    const kafka = await startKafkaListener({
      host: options.host,
      port: options.kafkaPort,
      handle: context.server,
      limits: context.limits,
      servingThreads: options.servingThreads,
      answers: context.pressure.answers,
      admit: (address) => context.quotas.connected(bareAddress(address)),
      ...(tls?.kafka === undefined ? {} : { tls: { ...tls.kafka, certificates: tls.certificates } }),
      ...(options.proxyProtocol === undefined ? {} : { proxyProtocol: options.proxyProtocol }),
      principalOf: context.callers.principalOf,
      clock,
      log,
      metrics,
    });
    self.kafkaPort = kafka.port;
    // The listener waits for responses, which wait for files.
    return started({ kafkaPort: kafka.port }, () =>
      endWrites(context, () => kafka.stop({ deadlineMs: stop.leftMs() })),
    );
  },
};

type WriteNeeds = Pick<Needs, 'stop' | 'events' | 'writePath' | 'stopping'>;

/** Writes what is buffered, in an agent without Kafka clients: events. */
export const ownWrites = {
  name: 'own writes',
  start(context: WriteNeeds) {
    return started({}, () => endWrites(context, async () => {}));
  },
};

async function endWrites(
  { stop, events, writePath, stopping }: WriteNeeds,
  stopListener: () => Promise<void>,
): Promise<void> {
  stopping.abort();
  // Drain closes files without waiting for their window.
  const drained = stop.within(events.stop().then(() => writePath.drain()));
  await Promise.all([stopListener(), drained]);
  writePath.abandon();
}
