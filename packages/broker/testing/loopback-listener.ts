import { type Clock, type Metrics, silentLog } from '@weir/core';
import { startHttpListener } from '@weir/http';

type ListenerOptions = Parameters<typeof startHttpListener>[0];

/** An HTTP listener of an agent on any free port of the loopback interface. */
export function loopbackListener(routes: ListenerOptions['routes'], clock: Clock, metrics: Metrics) {
  return startHttpListener({ host: '127.0.0.1', port: 0, routes, clock, log: silentLog, metrics });
}
