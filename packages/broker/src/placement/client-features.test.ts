import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClientFeatures, parseClientFeatures, rememberingParser } from './client-features.ts';

const cases: [clientId: string | null, features: ClientFeatures][] = [
  [null, {}],
  ['', {}],
  ['rdkafka', {}],
  ['a=b', {}],
  ['app,ws_az=us-east-1a', { zone: 'us-east-1a' }],
  ['ws_az=us-east-1a,app', { zone: 'us-east-1a' }],
  ['service_az=use1-az1', { zone: 'use1-az1' }],
  ['"ws_az=us-east-1a"', { zone: 'us-east-1a' }],
  [" 'ws_az=us-east-1a' ", { zone: 'us-east-1a' }],
  ['app, ws_az = "us-east-1a" ,x', { zone: 'us-east-1a' }],
  ['ws_az=US-EAST', {}],
  ['ws_az=', {}],
  ['WS_AZ=a', {}],
  ['ws_az=a,ws_az=b', { zone: 'b' }],
  ['ws_az=a,ws_az=!', { zone: 'a' }],
  ['ws_pas=single_agent', { strategy: 'single_agent' }],
  ['service_partition_assignment_strategy=equal_spread_v2', { strategy: 'equal_spread_v2' }],
  ['ws_pas=toString', {}],
  ['ws_pas=nonsense', {}],
  ['ws_ag=blue', { agentGroup: 'blue' }],
  ['service_agent_group=blue', { agentGroup: 'blue' }],
  ['ws_ag=', { agentGroup: '' }],
  ['service_proxy_target=proxy-consume', { proxyTarget: 'proxy-consume' }],
  ['service_proxy_target=jobs', {}],
  ['service_cluster_id=vci_1', { clusterId: 'vci_1' }],
  ['ws_host_override=kafka.example.com', { hostOverride: 'kafka.example.com' }],
  ['ws_host_override=a b', {}],
  ['service_session_id=s1,service_interzone_lb=true', { sessionId: 's1', interzoneLoadBalancing: true }],
  ['ws_dfat=true', { disableFetchAutoTune: true }],
  ['service_disable_fetch_auto_tune=false', { disableFetchAutoTune: false }],
  ['ws_sle=true', { skipLeaderEpoch: true }],
  ['ws_sle=yes', {}],
  ['__proto__=x,constructor=y', {}],
];

test('features in client ids', () => {
  for (const [clientId, features] of cases) {
    assert.deepEqual(parseClientFeatures(clientId), features, String(clientId));
  }
});

test('caching does not change the result, even after eviction', () => {
  const parse = rememberingParser(3);
  for (let round = 0; round < 3; round++) {
    for (const [clientId, features] of cases) assert.deepEqual(parse(clientId), features, String(clientId));
  }
});
