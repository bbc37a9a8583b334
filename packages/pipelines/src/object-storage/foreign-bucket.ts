import type { Environment } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import type { ComponentContext } from '../component/component-context.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';

interface ForeignBucket {
  readonly scheme: 's3' | 'gs' | 'azblob';
  readonly bucket: string;
  /** Parameters of a bucket URL; those without a value are left out. */
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  /** The credentials of the configuration, as variables. */
  readonly credentials: Environment;
  readonly credentialsJson?: string | undefined;
  /** What to write where a pipeline has to bring its own credentials. */
  readonly credentialFields: string;
  readonly hasCredentials: boolean;
  readonly usesMetadataService?: boolean | undefined;
  readonly roleExternalId?: string | undefined;
}

/**
 * Opens a bucket that a configuration names. Pipelines that a person runs find credentials as other programs of this
 * person do. Managed pipelines have those of their configuration and no others: the credentials of an agent are for the
 * buckets of its cluster.
 */
export async function openBucketOf(given: ForeignBucket, context: ComponentContext): Promise<ObjectStore> {
  const { scheme, bucket, parameters = {}, credentials, credentialsJson, roleExternalId } = given;
  const { clock, random, outbound, environment } = context;
  if (environment === undefined && !given.hasCredentials)
    throw new Error(`credentials are missing: set ${given.credentialFields}`);
  if (environment === undefined && given.usesMetadataService)
    throw new Error('managed pipelines cannot use the credentials of the machine that runs them');
  // In a URL, other characters could name another bucket or another server.
  if (!/^[\w.-]{1,255}$/.test(bucket))
    throw new Error(`${JSON.stringify(bucket)} is not the name of a bucket`);
  const { openForeignBucket } = await import('@weir/storage');
  const url = new URL(`${scheme}://${bucket}`);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') url.searchParams.set(name, value);
  return openForeignBucket(url, {
    clock,
    random,
    environment: { ...(given.hasCredentials ? {} : environment), ...credentials },
    credentialsJson,
    usesMetadataService: environment !== undefined && given.usesMetadataService,
    s3: { roleExternalId },
    lookupFor: (host, port) => outbound.lookupFor(host, port),
  });
}

/** The text of a field for a message, in a header or a key. */
export function textFor(
  field: Interpolated,
  batch: Batch,
  index: number,
  { mappingPorts }: ComponentContext,
): string {
  return field.text(batch, index, mappingPorts);
}

/** As Go prints times. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
