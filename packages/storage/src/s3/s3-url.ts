import { isIP } from 'node:net';
import { BucketUrl } from '../store-http/bucket-url.ts';
import { endpointOf } from '../store-http/endpoint.ts';
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
  const given = new BucketUrl(url, parameters);
  const { bucket } = given;
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket))
    throw given.refusal('a bucket name has 3 to 63 lower-case letters, digits, dots and hyphens');
  const zoneId = zoneOf(given);
  const disableSsl = given.flag('disableSSL');
  const endpoint = given.server('endpoint', disableSsl ? 'http' : 'https');
  const region = given.text('region');
  // It becomes part of a host name: any other text could name another server.
  if (region !== undefined && !/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i.test(region))
    throw given.refusal('region= has letters, digits and hyphens');
  const isPathStyle = given.flag('s3ForcePathStyle');
  if (zoneId !== undefined && isPathStyle && endpoint === undefined)
    throw given.refusal('S3 Express has no path-style addresses: leave out s3ForcePathStyle=');
  return {
    bucket,
    region,
    endpoint,
    // A dot in a bucket's name does not match the wildcard certificate of virtual-hosted addresses.
    isPathStyle: isPathStyle || bucket.includes('.'),
    isTls: endpoint === undefined ? !disableSsl : endpoint.startsWith('https:'),
    zoneId,
    ...readRole(given),
    encryption: readEncryption(given),
    storageClass: readStorageClass(given, zoneId !== undefined),
  };
}

/** A directory bucket has its zone in its name: `name--use1-az4--x-s3`. */
function zoneOf(url: BucketUrl): string | undefined {
  const { bucket } = url;
  if (bucket.endsWith('--xa-s3')) throw url.refusal('access points of S3 Express are not available');
  if (!bucket.endsWith('--x-s3')) return undefined;
  const zoneId = /^[a-z\d-]+--([a-z\d]+(?:-[a-z\d]+)+)--x-s3$/.exec(bucket)?.[1];
  if (zoneId === undefined) throw url.refusal('the name of a directory bucket is like name--use1-az4--x-s3');
  return zoneId;
}

function readRole(url: BucketUrl): Pick<S3Location, 'roleArn' | 'roleSeconds'> {
  const roleArn = url.text('assumeRoleARN');
  if (roleArn !== undefined && roleArn !== '' && !isArn(roleArn))
    throw url.refusal('assumeRoleARN= is like arn:aws:iam::123456789012:role/name');
  const minutes = url.text('assumeRoleDurationMinutes');
  if (minutes === undefined) return { roleArn, roleSeconds: undefined };
  const { min, max } = roleMinutes;
  const count = /^\d{1,4}$/.test(minutes) ? Number(minutes) : 0;
  if (count < min || count > max)
    throw url.refusal(`assumeRoleDurationMinutes= is a number from ${min} to ${max}`);
  return { roleArn, roleSeconds: count * 60 };
}

/** Six parts between colons; other servers than AWS have names of their own in them. */
function isArn(text: string): boolean {
  return text.length <= 2048 && /^arn:(?:[\w+=,.@-]*:){4}[\w+=,.@/:-]+$/.test(text);
}

function readEncryption(url: BucketUrl): Readonly<Record<string, string>> {
  const algorithm = url.text('sse');
  const key = url.text('sseKMSKeyId');
  if (algorithm !== undefined && !encryptions.includes(algorithm))
    throw url.refusal(`sse= is ${encryptions.join(' or ')}`);
  if (key !== undefined && algorithm !== 'aws:kms') throw url.refusal('sseKMSKeyId= needs sse=aws:kms');
  if (key !== undefined && !/^[\w/:.-]{1,2048}$/.test(key))
    throw url.refusal('sseKMSKeyId= is the id, alias or ARN of a key');
  if (algorithm === undefined) return {};
  const prefix = 'x-amz-server-side-encryption';
  return { [prefix]: algorithm, ...(key === undefined ? {} : { [`${prefix}-aws-kms-key-id`]: key }) };
}

function readStorageClass(url: BucketUrl, isExpress: boolean): string | undefined {
  const storageClass = url.text('storageClass');
  if (storageClass === undefined) return undefined;
  if (!/^[A-Z][A-Z\d_]{0,63}$/.test(storageClass))
    throw url.refusal('storageClass= is the name of a class, like STANDARD_IA');
  if (archives.includes(storageClass))
    throw url.refusal(
      `objects of the class ${storageClass} cannot be read at once: choose another storageClass=`,
    );
  if (isExpress && storageClass !== expressClass)
    throw url.refusal(`directory buckets have no class but ${expressClass}: leave out storageClass=`);
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
