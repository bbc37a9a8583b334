import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Environment, systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { httpAsk } from './ask.ts';
import { lookUpZone } from './look-up-zone.ts';
import type { PlatformAddresses } from './platforms.ts';

type Answer = string | ((request: IncomingMessage) => string | undefined);
type Answers = Readonly<Record<string, Answer>>;

/** Starts a local metadata service with answers by method and path, and 404 for everything else. */
async function metadataService(t: TestContext, answers: Answers) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url}`;
    requests.push(route);
    const answer = answers[route];
    const body = typeof answer === 'function' ? answer(request) : answer;
    if (body === 'never') return;
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function podSecrets(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-pod-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'token'), 'pod-token\n');
  writeFileSync(join(folder, 'ca.crt'), '');
  return folder;
}

const ec2: Answers = {
  'PUT /latest/api/token': ({ headers }) =>
    headers['x-aws-ec2-metadata-token-ttl-seconds'] === '60' ? 'ec2-token' : undefined,
  'GET /latest/meta-data/placement/availability-zone': ({ headers }) =>
    headers['x-aws-ec2-metadata-token'] === 'ec2-token' ? 'us-east-1a' : undefined,
  'GET /latest/meta-data/placement/availability-zone-id': ({ headers }) =>
    headers['x-aws-ec2-metadata-token'] === 'ec2-token' ? 'use1-az4' : undefined,
};
const ecs: Answers = { 'GET /ecs/v4/task': JSON.stringify({ AvailabilityZone: 'us-west-2d' }) };
const gcp: Answers = {
  'GET /computeMetadata/v1/instance/zone': ({ headers }) =>
    headers['metadata-flavor'] === 'Google' ? 'projects/4711/zones/us-central1-a\n' : undefined,
};
const azurePath = 'GET /metadata/instance/compute?api-version=2021-02-01&format=json';
const azure = (compute: object): Answers => ({
  [azurePath]: ({ headers }) => (headers.metadata === 'true' ? JSON.stringify(compute) : undefined),
});
const kubernetes = (labels: object): Answers => ({
  'GET /api/v1/namespaces/stream/pods/weir-0': ({ headers }) =>
    headers.authorization === 'Bearer pod-token'
      ? JSON.stringify({ spec: { nodeName: 'node-7' } })
      : undefined,
  'GET /api/v1/nodes/node-7': JSON.stringify({ metadata: { labels } }),
});
const pod = { POD_NAME: 'weir-0', POD_NAMESPACE: 'stream' };
const inZoneB = { 'topology.kubernetes.io/zone': 'eu-north-1b' };

interface Case {
  readonly label: string;
  readonly answers: Answers;
  readonly variables?: Environment;
  readonly inEcs?: boolean;
  readonly wantsId?: boolean;
  /** The zone and its platform, or the problem if none was found. */
  readonly found: readonly [zone: string, platform: string] | RegExp;
}

const cases: readonly Case[] = [
  { label: 'EC2', answers: ec2, found: ['us-east-1a', 'EC2 instance metadata'] },
  { label: 'EC2, by id', answers: ec2, wantsId: true, found: ['use1-az4', 'EC2 instance metadata'] },
  {
    label: 'ECS has precedence over EC2',
    answers: { ...ec2, ...ecs },
    inEcs: true,
    found: ['us-west-2d', 'ECS task metadata'],
  },
  {
    label: 'ECS has no zone ids',
    answers: { ...ec2, ...ecs },
    inEcs: true,
    wantsId: true,
    found: ['use1-az4', 'EC2 instance metadata'],
  },
  { label: 'GCP', answers: gcp, found: ['us-central1-a', 'GCP metadata'] },
  {
    label: 'Azure',
    answers: azure({ location: 'eastus', zone: '1' }),
    found: ['eastus-1', 'Azure instance metadata'],
  },
  {
    label: 'Azure without zones',
    answers: azure({ location: 'eastus', zone: '' }),
    found: /^EC2 instance metadata: unexpected status 404; GCP metadata: unexpected status 404$/,
  },
  {
    label: 'Kubernetes',
    answers: kubernetes(inZoneB),
    variables: pod,
    found: ['eu-north-1b', 'Kubernetes node label'],
  },
  {
    label: 'a cloud has precedence over Kubernetes',
    answers: { ...gcp, ...kubernetes(inZoneB) },
    variables: pod,
    found: ['us-central1-a', 'GCP metadata'],
  },
  {
    label: 'a node without the label',
    answers: kubernetes({}),
    variables: pod,
    found: /^EC2 instance metadata: [^;]+; GCP metadata: [^;]+; Azure instance metadata: [^;]+$/,
  },
  {
    label: 'an answer that is not a zone name is ignored',
    answers: { ...ec2, 'GET /latest/meta-data/placement/availability-zone': '<html>Hello</html>' },
    found: /^EC2 instance metadata: response is not a zone name; /,
  },
  {
    label: 'an answer that is not JSON',
    answers: { [azurePath]: 'zone 1' },
    found: /Azure instance metadata: response is not JSON/,
  },
  {
    label: 'EC2 is not queried if its metadata is disabled for AWS SDKs',
    answers: { ...ec2, ...gcp },
    variables: { AWS_EC2_METADATA_DISABLED: 'true' },
    found: ['us-central1-a', 'GCP metadata'],
  },
  { label: 'no platform', answers: {}, found: /^EC2 instance metadata: unexpected status 404; / },
];

for (const { label, answers, variables = {}, inEcs = false, wantsId = false, found } of cases) {
  test(label, async (t) => {
    const { url } = await metadataService(t, answers);
    const addresses: PlatformAddresses = {
      ec2: url,
      gcp: url,
      azure: url,
      kubernetes: url,
      kubernetesSecrets: podSecrets(t),
    };
    const zone = await lookUpZone({
      clock: systemClock,
      environment: inEcs ? { ...variables, ECS_CONTAINER_METADATA_URI_V4: `${url}/ecs/v4` } : variables,
      wantsId,
      stop: new AbortController().signal,
      addresses,
    });
    if (found instanceof RegExp) assert.match('problem' in zone ? zone.problem : JSON.stringify(zone), found);
    else assert.deepEqual(zone, { zone: found[0], platform: found[1] });
  });
}

test('a service that never answers costs five seconds, and a stopped lookup none', async (t) => {
  const { url, requests } = await metadataService(t, { 'GET /x': 'never' });
  const clock = new HandClock();
  const ask = httpAsk(clock, 5_000, new AbortController().signal);
  const answer = ask({ url: `${url}/x` });
  while (requests.length < 1) await new Promise<void>((resolve) => systemClock.after(5, resolve));
  clock.advance(5_000);
  await assert.rejects(answer, /^Error: no response within 5000 ms$/);

  const stop = new AbortController();
  const stopped = httpAsk(clock, 5_000, stop.signal)({ url: `${url}/x` });
  stop.abort();
  await assert.rejects(stopped, { name: 'AbortError' });
  assert.equal(clock.waiting, 0);
});

test('an endless answer is cut off', async (t) => {
  const { url } = await metadataService(t, { 'GET /x': 'x'.repeat(5 << 20) });
  const ask = httpAsk(systemClock, 60_000, t.signal);
  await assert.rejects(ask({ url: `${url}/x` }), /exceeds 4194304 bytes/);
});
