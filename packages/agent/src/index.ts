export type { ClusterView, PartitionEnds } from './cluster/cluster-view.ts';
export type { Handler, HandlerOf, HandlerResult, RequestContext } from './handlers/handler.ts';
export { type HttpListener, type HttpOptions, type Route, startHttpListener } from './http/http-server.ts';
export { probeRoutes } from './http/probe-routes.ts';
