import type { ClientQuotas, Impersonation, Pressure, RequestServer } from '@weir/broker';
import {
  DebugEndpoints,
  dataRoutes,
  HttpData,
  InflatedMemory,
  intakeRoutes,
  writeAccess,
} from '@weir/gateway';
import { ownNamesOf } from '@weir/http';
import type { RecordSchemas } from '@weir/registry/decoding';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { inUrl } from '../start-and-stop.ts';
import type { HttpAnswers } from './http-listener.ts';
import type { Callers } from './security.ts';

interface Needs extends AgentContext {
  readonly httpPort: number;
  readonly httpAnswers: HttpAnswers;
  readonly callers: Callers;
  readonly server: RequestServer;
  readonly pressure: Pressure;
  readonly quotas: ClientQuotas;
  readonly impersonation: Impersonation | undefined;
  readonly schemas: RecordSchemas | undefined;
}

/** Records and debug endpoints on the HTTP listener. */
export const httpData = {
  name: 'HTTP data',
  start(context: Needs) {
    const { options, stop, httpAnswers, callers, impersonation, schemas } = context;
    const { answers } = context.pressure;
    const { tls } = options;
    const { inflated, requiresLogin, hasClientCertificates, httpRequiresLogin } = sharedWith(context);
    const data = new HttpData({
      ...callers,
      inflated,
      routes: [...dataRoutes, ...intakeRoutes],
      mayWrite: writeAccess({ accessOf: callers.accessOf, impersonation }),
      quotas: context.quotas,
      server: context.server,
      ownUrl: `http${tls?.http === true ? 's' : ''}://${inUrl(options.advertisedHost)}:${context.httpPort}`,
      ownNames: ownNamesOf(options),
      answers,
      schemas,
      logTopic: options.logIntakeDefaultTopic,
      requiresLogin,
      hasClientCertificates,
    });
    httpAnswers.data = data;
    httpAnswers.debug = new DebugEndpoints({ ...callers, requiresLogin: httpRequiresLogin });
    return started({ inflated, httpRequiresLogin }, () => stop.briefly(data.close()));
  },
};

type DebugNeeds = Pick<Needs, 'options' | 'httpAnswers' | 'callers' | 'pressure'>;

/** Debug endpoints alone, of an agent that serves no records. */
export const httpDebug = {
  name: 'debug endpoints',
  start(context: DebugNeeds) {
    const { inflated, httpRequiresLogin } = sharedWith(context);
    context.httpAnswers.debug = new DebugEndpoints({ ...context.callers, requiresLogin: httpRequiresLogin });
    return started({ inflated, httpRequiresLogin });
  },
};

function sharedWith({ options, pressure }: Pick<Needs, 'options' | 'pressure'>) {
  const { tls, sasl, clock } = options;
  const requiresLogin = sasl?.isRequired === true;
  const hasClientCertificates = (tls?.kafka?.clientCertificates ?? 'ignored') !== 'ignored';
  return {
    inflated: new InflatedMemory(pressure.answers, clock),
    requiresLogin,
    hasClientCertificates,
    // Clients that have to show certificates cannot do so over HTTP, and need a password or a token.
    httpRequiresLogin: requiresLogin || hasClientCertificates,
  };
}
