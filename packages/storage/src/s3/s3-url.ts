import { StoreError } from '../store/store-error.ts';
import { endpointOf, isServer } from '../store-http/endpoint.ts';
import type { HttpEndpoint } from '../store-http/http-client.ts';

/** The location of a bucket and its addressing style. */
interface S3Location {
  readonly bucket: string;
  readonly region: string | undefined;
  /** `undefined` for AWS itself. */
  readonly endpoint: string | undefined;
  readonly isPathStyle: boolean;
  readonly isTls: boolean;
}

const parameters = ['region', 'prefix', 'endpoint', 's3ForcePathStyle', 'disableSSL'];

/** Parses `s3://bucket?region=…`. The prefix is handled elsewhere. */
export function parseS3Url(url: URL): S3Location {
  const subject = `s3://${url.host}`;
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw new StoreError('invalid', subject, `the parameter ${unknown} is not available in this release`);
  }
  if (url.pathname.length > 1) {
    throw new StoreError(
      'invalid',
      subject,
      'a folder inside the bucket is named by prefix=, not by the path',
    );
  }
  const bucket = url.host;
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket)) {
    throw new StoreError(
      'invalid',
      subject,
      'a bucket name has 3 to 63 lower-case letters, digits, dots and hyphens',
    );
  }
  // Directory buckets need their own kind of session.
  if (bucket.endsWith('--x-s3')) {
    throw new StoreError('invalid', subject, 'S3 Express buckets are not available in this release');
  }
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  const disableSsl = readBoolean(url, 'disableSSL');
  const withScheme =
    endpoint === undefined || /^https?:\/\//.test(endpoint)
      ? endpoint
      : `${disableSsl ? 'http' : 'https'}://${endpoint}`;
  if (withScheme !== undefined && !isServer(withScheme)) {
    throw new StoreError('invalid', subject, 'endpoint= is no host and no URL');
  }
  const region = url.searchParams.get('region') ?? undefined;
  // It becomes part of a host name: any other text could name another server.
  if (region !== undefined && !/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i.test(region)) {
    throw new StoreError('invalid', subject, 'region= has letters, digits and hyphens');
  }
  return {
    bucket,
    region,
    endpoint: withScheme,
    // A dot in a bucket's name does not match the wildcard certificate of virtual-hosted addresses.
    isPathStyle: readBoolean(url, 's3ForcePathStyle') || bucket.includes('.'),
    isTls: withScheme === undefined ? !disableSsl : withScheme.startsWith('https:'),
  };
}

/** The server to connect to, and the path of the bucket on it. */
export function addressOf(
  location: S3Location,
  region: string,
): { endpoint: HttpEndpoint; basePath: string } {
  const { bucket, isPathStyle, isTls } = location;
  const tail = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const server = new URL(location.endpoint ?? `${isTls ? 'https' : 'http'}://s3.${region}.${tail}`);
  const endpoint = endpointOf(server);
  return isPathStyle
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
