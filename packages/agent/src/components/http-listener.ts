import type { PageExchange, ReadPath } from '@weir/broker';
import { type DebugEndpoints, debugRoutesOf, type HttpData, httpRoutes } from '@weir/gateway';
import { metricsRoutes, probeRoutes, type Route, startHttpListener } from '@weir/http';
import type { AgentContext, CommonContext } from '../agent-context.ts';
import { started } from '../component.ts';
import type { Readiness } from '../readiness/readiness.ts';

/** What the HTTP listener answers with. It is absent until its component runs. */
export interface HttpAnswers {
  data?: HttpData;
  debug?: DebugEndpoints;
}

type ListenerOption = 'host' | 'httpPort' | 'tls' | 'servesMetrics' | 'clock' | 'log' | 'metrics';

interface Needs extends AgentContext {
  readonly readiness: Readiness;
  readonly readPath: ReadPath;
  readonly exchange: PageExchange | undefined;
  /** Routes of its kind of agent. */
  readonly furtherRoutes?: readonly Route[] | undefined;
}

/** Probes and metrics from here on; debug endpoints and records as soon as they can be answered. */
export const httpListener = {
  name: 'HTTP listener',
  async start(context: Needs) {
    const { options, readiness, readPath, exchange } = context;
    const { servesMetrics, metrics, clock, tls } = options;
    const httpAnswers: HttpAnswers = {};
    const pageRoutes = exchange?.routes((fileId, index) => readPath.lendPage(fileId, index)) ?? [];
    const ownRoutes = [
      ...httpRoutes({
        probed: readiness,
        metrics: servesMetrics ? metrics : undefined,
        clock,
        debug: () => httpAnswers.debug,
      }),
      ...(context.furtherRoutes ?? []),
    ];
    const routes = tls?.internal === undefined ? [...ownRoutes, ...pageRoutes] : ownRoutes;
    const http = await listen(context, routes, httpAnswers);
    return started({ httpPort: http.port, httpAnswers, pageRoutes }, () => http.close());
  },
};

/** The same for an agent that serves no records. */
export const registryHttpListener = {
  name: 'HTTP listener',
  async start(context: CommonContext<ListenerOption> & { readonly readiness: Readiness }) {
    const { servesMetrics, metrics, clock } = context.options;
    const httpAnswers: HttpAnswers = {};
    const routes = [
      ...probeRoutes(context.readiness),
      ...(servesMetrics ? metricsRoutes(metrics, clock) : []),
      ...debugRoutesOf(() => httpAnswers.debug),
    ];
    const http = await listen(context, routes, httpAnswers);
    return started({ httpPort: http.port, httpAnswers }, () => http.close());
  },
};

async function listen(
  { options, self }: CommonContext<ListenerOption>,
  routes: readonly Route[],
  answers: HttpAnswers,
) {
  const { host, httpPort, tls, clock, log, metrics } = options;
  const http = await startHttpListener({
    host,
    port: httpPort,
    routes,
    answerRest: async (request, response) => (await answers.data?.answer(request, response)) ?? false,
    ...(tls?.http === true ? { tls: { certificates: tls.certificates } } : {}),
    clock,
    log,
    metrics,
  });
  self.internal = { port: http.port, isEncrypted: tls?.http === true };
  return http;
}
