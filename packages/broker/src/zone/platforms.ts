import { readFile } from 'node:fs/promises';
import type { Environment } from '@weir/core';
import type { Ask } from './ask.ts';

/** Addresses of the metadata services. */
export interface PlatformAddresses {
  readonly ec2: string;
  readonly gcp: string;
  readonly azure: string;
  /** `undefined`: taken from the environment variables of the pod. */
  readonly kubernetes?: string;
  /** The folder with the token of a pod and the certificate authority of its cluster. */
  readonly kubernetesSecrets: string;
}

/** The clouds use the same link-local address; their answers differ. */
export const platformAddresses: PlatformAddresses = {
  ec2: 'http://169.254.169.254',
  gcp: 'http://metadata.google.internal',
  azure: 'http://169.254.169.254',
  kubernetesSecrets: '/var/run/secrets/kubernetes.io/serviceaccount',
};

interface PlatformQuestion {
  readonly ask: Ask;
  readonly addresses: PlatformAddresses;
  readonly environment: Environment;
  /**
   * Requests the id of the zone (`use1-az1`), which is the same for all accounts, rather than its name (`us-east-1a`).
   */
  readonly wantsId: boolean;
}

/** One way to find the zone of this machine. It fails, or returns `undefined`, if there is none. */
interface Platform {
  readonly name: string;
  readonly zone: (question: PlatformQuestion) => Promise<string | undefined>;
}

/** In order of preference. */
export const platforms: readonly Platform[] = [
  { name: 'ECS task metadata', zone: ecsZone },
  { name: 'EC2 instance metadata', zone: ec2Zone },
  { name: 'GCP metadata', zone: gcpZone },
  { name: 'Azure instance metadata', zone: azureZone },
  { name: 'Kubernetes node label', zone: kubernetesZone },
];

/** The platform sets the address in an environment variable. It knows zone names only. */
async function ecsZone({ ask, environment, wantsId }: PlatformQuestion): Promise<string | undefined> {
  const { ECS_CONTAINER_METADATA_URI_V4: uri } = environment;
  if (uri === undefined || wantsId) return undefined;
  const task = parseJson(await ask({ url: `${uri}/task` }));
  return textAt(task, 'AvailabilityZone');
}

/** Version 2 of the service: requires a token first, which protects against open proxies. */
async function ec2Zone({
  ask,
  addresses,
  environment,
  wantsId,
}: PlatformQuestion): Promise<string | undefined> {
  // The switch of the AWS SDKs, which operators set if the service must not be used.
  if (/^true$/i.test(environment.AWS_EC2_METADATA_DISABLED ?? '')) return undefined;
  const token = await ask({
    url: `${addresses.ec2}/latest/api/token`,
    method: 'PUT',
    headers: { 'X-aws-ec2-metadata-token-ttl-seconds': '60' },
  });
  return ask({
    url: `${addresses.ec2}/latest/meta-data/placement/availability-zone${wantsId ? '-id' : ''}`,
    headers: { 'X-aws-ec2-metadata-token': token },
  });
}

/** `projects/123/zones/us-central1-a`. */
async function gcpZone({ ask, addresses }: PlatformQuestion): Promise<string | undefined> {
  const path = await ask({
    url: `${addresses.gcp}/computeMetadata/v1/instance/zone`,
    headers: { 'Metadata-Flavor': 'Google' },
  });
  return /^projects\/[^/]+\/zones\/([^/]+)$/.exec(path)?.[1];
}

/** Zones are numbers within a location. A machine without a zone has an empty one. */
async function azureZone({ ask, addresses }: PlatformQuestion): Promise<string | undefined> {
  const compute = parseJson(
    await ask({
      url: `${addresses.azure}/metadata/instance/compute?api-version=2021-02-01&format=json`,
      headers: { Metadata: 'true' },
    }),
  );
  const location = textAt(compute, 'location');
  const zone = textAt(compute, 'zone');
  return location === undefined || zone === undefined ? undefined : `${location}-${zone}`;
}

/** The label of the node on which the pod runs. */
async function kubernetesZone({
  ask,
  addresses,
  environment,
}: PlatformQuestion): Promise<string | undefined> {
  const { POD_NAME: pod, POD_NAMESPACE: namespace } = environment;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  const server =
    addresses.kubernetes ?? (host === undefined ? undefined : `https://${bracketed(host)}:${port}`);
  if (pod === undefined || namespace === undefined || server === undefined) return undefined;
  const [token, ca] = await Promise.all([
    readFile(`${addresses.kubernetesSecrets}/token`, 'utf8'),
    readFile(`${addresses.kubernetesSecrets}/ca.crt`, 'utf8'),
  ]);
  const get = async (path: string) =>
    parseJson(
      await ask({
        url: `${server}/api/v1/${path}`,
        headers: { Authorization: `Bearer ${token.trim()}`, Accept: 'application/json' },
        ca,
      }),
    );
  const found = await get(`namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`);
  const node = textAt(found, 'spec', 'nodeName');
  if (node === undefined) return undefined;
  return textAt(
    await get(`nodes/${encodeURIComponent(node)}`),
    'metadata',
    'labels',
    'topology.kubernetes.io/zone',
  );
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('response is not JSON');
  }
}

/** Returns the text at a path of an answer, unless it is missing or empty. */
function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  let found: unknown = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return typeof found === 'string' && found !== '' ? found : undefined;
}
