import { probeRoutes, type Route, startHttpListener } from '@weir/http';
import { started } from '../component.ts';
import type { DataLakeAgentContext, ShownTables } from '../data-lake-agent-options.ts';
import type { Readiness } from '../readiness/readiness.ts';

interface Needs extends DataLakeAgentContext {
  readonly readiness: Readiness;
  readonly httpPort: number;
}

/** The listener that shows the tables of this agent, if its HTTP listener does not. */
export const tablesListener = {
  name: 'tables listener',
  async start(context: Needs) {
    const { options, tableSettings, readiness, shownTables } = context;
    if (tableSettings.httpPort === undefined) return started({ tablesPort: context.httpPort });
    const { host, tls, clock, log, metrics } = options;
    const listener = await startHttpListener({
      name: 'tables',
      host,
      port: tableSettings.httpPort,
      routes: [...probeRoutes(readiness), tablesRoute(shownTables)],
      ...(tls?.http === true ? { tls: { certificates: tls.certificates } } : {}),
      clock,
      log,
      metrics,
    });
    return started({ tablesPort: listener.port }, () => listener.close());
  },
};

/** What this agent knows of the tables that it writes: no rows, and no credentials. */
export function tablesRoute(shown: ShownTables): Route {
  return {
    method: 'GET',
    path: '/v1/tables',
    handle(_request, response) {
      const body = JSON.stringify({ tables: shown.list() });
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    },
  };
}
