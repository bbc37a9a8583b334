import type { ObjectStore } from '@weir/storage';
import type { ComponentContext } from '../component/component-context.ts';
import { string } from '../component/field-types.ts';
import { openBucketOf } from './foreign-bucket.ts';

/** Bento reads a file of the machine, which managed pipelines do not have. */
export const gcpCredentials = string(
  'The key of a service account, as the JSON that Google has made; without it, pipelines that a person runs use the credentials of this person.',
)
  .or('')
  .secret();

export function openGcpBucket(
  bucket: string,
  { credentials_json }: { readonly credentials_json: string },
  context: ComponentContext,
): Promise<ObjectStore> {
  const hasCredentials = credentials_json !== '';
  return openBucketOf(
    {
      scheme: 'gs',
      bucket,
      credentials: {},
      credentialsJson: hasCredentials ? credentials_json : undefined,
      credentialFields: 'credentials_json',
      hasCredentials,
    },
    context,
  );
}
