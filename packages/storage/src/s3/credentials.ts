import type { Environment } from '@weir/core';
import type { Credentials } from './signature.ts';

/** Credentials in the environment that was passed in. */
export function credentialsIn(environment: Environment): Credentials | undefined {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
  };
}

/**
 * Credentials from files of the user: a profile below `~/.aws`, or a token that `AWS_WEB_IDENTITY_TOKEN_FILE` names. Unlike the SDK's own
 * search this one does not end at the metadata service of the machine or its container.
 */
export async function credentialsFromFiles() {
  const [{ fromIni }, { fromTokenFile }] = await Promise.all([
    import('@aws-sdk/credential-provider-ini'),
    import('@aws-sdk/credential-provider-web-identity'),
  ]);
  const sources = [fromIni(), fromTokenFile()];
  return async () => {
    for (const source of sources) {
      try {
        return await source();
      } catch (error) {
        // A wrong setting is an error; a missing one is looked for in the next place.
        if ((error as { readonly tryNextLink?: boolean }).tryNextLink !== true) throw error;
      }
    }
    throw new Error('neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a profile in ~/.aws names any');
  };
}
