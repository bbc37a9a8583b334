import { isIP } from 'node:net';
import { StoreError } from '../store/store-error.ts';
import { endpointOf, isServer } from '../store-http/endpoint.ts';
import type { HttpEndpoint } from '../store-http/http-client.ts';

/** The location of a bucket, its addressing style, and how objects are written to it. */
export interface S3Location {
  readonly bucket: string;
  readonly region: string | undefined;
  /** `undefined` for AWS itself. */
  readonly endpoint: string | undefined;
  readonly isPathStyle: boolean;
  readonly isTls: boolean;
  /** The zone of a directory bucket of S3 Express; `undefined` for other buckets. */
  readonly zoneId: string | undefined;
  /** The role to assume. Empty for none, not even the default; `undefined` if the URL says nothing. */
  readonly roleArn: string | undefined;
  readonly roleSeconds: number | undefined;
  /** The headers that ask the server to encrypt new objects. */
  readonly encryption: Readonly<Record<string, string>>;
  readonly storageClass: string | undefined;
}

const parameters = [
  'region',
  'prefix',
  'endpoint',
  's3ForcePathStyle',
  'disableSSL',
  'assumeRoleARN',
  'assumeRoleDurationMinutes',
  'sse',
  'sseKMSKeyId',
  'storageClass',
];

/** How long the credentials of a role may be valid, as AWS limits it. */
const roleMinutes = { min: 15, max: 720 };

const encryptions = ['AES256', 'aws:kms'];

/** Classes whose objects cannot be read at once. */
const archives = ['GLACIER', 'DEEP_ARCHIVE'];
const expressClass = 'EXPRESS_ONEZONE';

/** Parses `s3://bucket?region=…`. The prefix is handled elsewhere. */
export function parseS3Url(url: URL): S3Location {
  const subject = `s3://${url.host}`;
  const refuse = (problem: string) => new StoreError('invalid', subject, problem);
  const names = [...url.searchParams.keys()];
  const unknown = names.find((name) => !parameters.includes(name));
  if (unknown !== undefined) throw refuse(`the parameter ${unknown} is not available in this release`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refuse(`${twice}= is given twice`);
  if (url.pathname.length > 1)
    throw refuse('a folder inside the bucket is named by prefix=, not by the path');
  const bucket = url.host;
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket))
    throw refuse('a bucket name has 3 to 63 lower-case letters, digits, dots and hyphens');
  const zoneId = zoneOf(bucket, refuse);
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  const disableSsl = readBoolean(url, 'disableSSL');
  const withScheme =
    endpoint === undefined || /^https?:\/\//.test(endpoint)
      ? endpoint
      : `${disableSsl ? 'http' : 'https'}://${endpoint}`;
  if (withScheme !== undefined && !isServer(withScheme)) throw refuse('endpoint= is no host and no URL');
  const region = url.searchParams.get('region') ?? undefined;
  // It becomes part of a host name: any other text could name another server.
  if (region !== undefined && !/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i.test(region))
    throw refuse('region= has letters, digits and hyphens');
  const isPathStyle = readBoolean(url, 's3ForcePathStyle');
  if (zoneId !== undefined && isPathStyle && endpoint === undefined)
    throw refuse('S3 Express has no path-style addresses: leave out s3ForcePathStyle=');
  return {
    bucket,
    region,
    endpoint: withScheme,
    // A dot in a bucket's name does not match the wildcard certificate of virtual-hosted addresses.
    isPathStyle: isPathStyle || bucket.includes('.'),
    isTls: withScheme === undefined ? !disableSsl : withScheme.startsWith('https:'),
    zoneId,
    ...readRole(url, refuse),
    encryption: readEncryption(url, refuse),
    storageClass: readStorageClass(url, zoneId !== undefined, refuse),
  };
}

type Refuse = (problem: string) => StoreError;

/** A directory bucket has its zone in its name: `name--use1-az4--x-s3`. */
function zoneOf(bucket: string, refuse: Refuse): string | undefined {
  if (bucket.endsWith('--xa-s3')) throw refuse('access points of S3 Express are not available');
  if (!bucket.endsWith('--x-s3')) return undefined;
  const zoneId = /^[a-z\d-]+--([a-z\d]+(?:-[a-z\d]+)+)--x-s3$/.exec(bucket)?.[1];
  if (zoneId === undefined) throw refuse('the name of a directory bucket is like name--use1-az4--x-s3');
  return zoneId;
}

function readRole(url: URL, refuse: Refuse): Pick<S3Location, 'roleArn' | 'roleSeconds'> {
  const roleArn = url.searchParams.get('assumeRoleARN') ?? undefined;
  if (roleArn !== undefined && roleArn !== '' && !isArn(roleArn))
    throw refuse('assumeRoleARN= is like arn:aws:iam::123456789012:role/name');
  const minutes = url.searchParams.get('assumeRoleDurationMinutes') ?? undefined;
  if (minutes === undefined) return { roleArn, roleSeconds: undefined };
  const { min, max } = roleMinutes;
  const count = /^\d{1,4}$/.test(minutes) ? Number(minutes) : 0;
  if (count < min || count > max)
    throw refuse(`assumeRoleDurationMinutes= is a number from ${min} to ${max}`);
  return { roleArn, roleSeconds: count * 60 };
}

/** Six parts between colons; other servers than AWS have names of their own in them. */
function isArn(text: string): boolean {
  return text.length <= 2048 && /^arn:(?:[\w+=,.@-]*:){4}[\w+=,.@/:-]+$/.test(text);
}

function readEncryption(url: URL, refuse: Refuse): Readonly<Record<string, string>> {
  const algorithm = url.searchParams.get('sse') ?? undefined;
  const key = url.searchParams.get('sseKMSKeyId') ?? undefined;
  if (algorithm !== undefined && !encryptions.includes(algorithm))
    throw refuse(`sse= is ${encryptions.join(' or ')}`);
  if (key !== undefined && algorithm !== 'aws:kms') throw refuse('sseKMSKeyId= needs sse=aws:kms');
  if (key !== undefined && !/^[\w/:.-]{1,2048}$/.test(key))
    throw refuse('sseKMSKeyId= is the id, alias or ARN of a key');
  if (algorithm === undefined) return {};
  const prefix = 'x-amz-server-side-encryption';
  return { [prefix]: algorithm, ...(key === undefined ? {} : { [`${prefix}-aws-kms-key-id`]: key }) };
}

function readStorageClass(url: URL, isExpress: boolean, refuse: Refuse): string | undefined {
  const storageClass = url.searchParams.get('storageClass') ?? undefined;
  if (storageClass === undefined) return undefined;
  if (!/^[A-Z][A-Z\d_]{0,63}$/.test(storageClass))
    throw refuse('storageClass= is the name of a class, like STANDARD_IA');
  if (archives.includes(storageClass))
    throw refuse(`objects of the class ${storageClass} cannot be read at once: choose another storageClass=`);
  if (isExpress && storageClass !== expressClass)
    throw refuse(`directory buckets have no class but ${expressClass}: leave out storageClass=`);
  return storageClass;
}

/** The domain of the servers of a region. */
export function awsDomain(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

/** The server to connect to, and the path of the bucket on it. */
export function addressOf(
  location: S3Location,
  region: string,
): { endpoint: HttpEndpoint; basePath: string } {
  const { bucket, isPathStyle, isTls, zoneId } = location;
  const name = zoneId === undefined ? 's3' : `s3express-${zoneId}`;
  const server = new URL(
    location.endpoint ?? `${isTls ? 'https' : 'http'}://${name}.${region}.${awsDomain(region)}`,
  );
  const endpoint = endpointOf(server);
  // An address has no names below it.
  return isPathStyle || isIP(endpoint.host) > 0
    ? { endpoint, basePath: `/${bucket}` }
    : { endpoint: { ...endpoint, host: `${bucket}.${endpoint.host}` }, basePath: '' };
}

function readBoolean(url: URL, name: string): boolean {
  const text = url.searchParams.get(name) ?? 'false';
  if (text !== 'true' && text !== 'false') {
    throw new StoreError('invalid', `s3://${url.host}`, `${name} is true or false`);
  }
  return text === 'true';
}
