import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf as operationPath, operations, otherRoutes } from '@weir/api';
import { accountsRouteNames, type RouteName, routeNames, routeOf, routePath } from './route-table.ts';

test('every operation of the catalogue is a path of the API', () => {
  for (const operation of operations) assert.equal(routeOf(operationPath(operation)), 'api', operation.name);
});

test('every other documented path has its own route', () => {
  for (const { path } of otherRoutes) {
    const route = routeOf(path.replace(/\{\w+\}/, 'x'));
    assert.notEqual(route, undefined, path);
    assert.notEqual(route, 'api', path);
  }
});

const cases: [path: string, route: RouteName | undefined][] = [
  ['/sign-in', 'signIn'],
  ['/sign-in/token', 'signInLink'],
  ['/setup', 'setup'],
  ['/setup/x', undefined],
  ['/login/other', undefined],
  ['/docs/mcp', 'docsMcp'],
  ['/docs/mcp/x', 'docsPage'],
  ['/docs', 'docs'],
  ['/docs/', 'docsPage'],
  ['/docs/start/install', 'docsPage'],
  ['/docsx', undefined],
  ['/api/v1', undefined],
  ['/api/v1/mcp', 'mcp'],
  ['/api/v1/mcp_configuration', 'api'],
  ['/api/v1/agent/token', 'agentToken'],
  ['/api/v1/monitoring/prometheus/virtual_clusters/vci_x', 'clusterMetrics'],
  ['/catalogs/iceberg/vci_dl_x/v1/config', 'icebergCatalog'],
  ['/icons/topic.svg', 'icons'],
  ['/constructor', undefined],
];

for (const [path, route] of cases) {
  test(`${path} is ${route ?? 'not found'}`, () => assert.equal(routeOf(path), route));
}

test('each route resolves to itself, and probes need no accounts', () => {
  for (const name of routeNames) assert.equal(routeOf(routePath(name)), name);
  for (const name of ['status', 'readiness', 'ready', 'metrics'] as const)
    assert.ok(!(accountsRouteNames as readonly RouteName[]).includes(name));
});
