import {
  type ListenerLimits,
  type ListenerProtocol,
  type Pressure,
  type RequestServer,
  startKafkaListener,
} from '@weir/broker';
import { createSasl, type PipelineLogins, type Sasl } from '@weir/security';
import type { AgentContext } from '../agent-context.ts';
import type { AgentOptions } from '../agent-options.ts';
import { started } from '../component.ts';
import type { Callers } from './security.ts';

interface Needs extends AgentContext {
  readonly serverWith: (sasl: Sasl, listenerProtocol: ListenerProtocol) => RequestServer;
  readonly limits: ListenerLimits;
  readonly pressure: Pressure;
  readonly callers: Callers;
  readonly pipelineLogins: PipelineLogins;
}

const host = '127.0.0.1';

/**
 * A listener for the managed pipelines of this agent, where that of clients does not admit them. It is on the loopback
 * address, and serves those alone that log in as a pipeline of an agent of the cluster.
 */
export const pipelineListener = {
  name: 'pipeline listener',
  async start(context: Needs) {
    const { options, stop } = context;
    const isNeeded = options.roles.includes('pipelines') && isClosedToPipelines(options);
    const listener = isNeeded ? await openListener(context) : undefined;
    if (listener !== undefined)
      options.log.info('started listener for managed pipelines', { port: listener.port });
    return started({ pipelineAddress: listener && `${host}:${listener.port}` }, () =>
      listener?.stop({ deadlineMs: stop.leftMs() }),
    );
  },
};

function openListener({ options, serverWith, limits, pressure, callers, pipelineLogins }: Needs) {
  const { clock, log, metrics } = options;
  const { checks, principalOf } = callers;
  const sasl = createSasl({
    settings: { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 },
    checks: {
      ...checks,
      checkToken: undefined,
      passwords: {
        check: async (login) =>
          pipelineLogins.isPipeline(login.user) ? await checks.passwords.check(login) : 'wrong',
      },
    },
    clock,
    log,
    metrics,
  });
  return startKafkaListener({
    host,
    port: 0,
    handle: serverWith(sasl, 'SASL_PLAINTEXT'),
    limits,
    answers: pressure.answers,
    principalOf,
    clock,
    log,
    metrics,
  });
}

/** Pipelines have no client certificate and no proxy before them, and log in by PLAIN. */
function isClosedToPipelines({ tls, proxyProtocol, sasl }: AgentOptions): boolean {
  return (
    tls?.kafka?.clientCertificates === 'required' ||
    proxyProtocol !== undefined ||
    (sasl !== undefined && !sasl.passwordMechanisms.includes('PLAIN'))
  );
}
