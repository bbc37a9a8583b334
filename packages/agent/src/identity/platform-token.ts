import { readFile } from 'node:fs/promises';
import { httpAsk } from '@weir/broker';
import type { Clock, Environment } from '@weir/core';

/** Clouds that issue signed identity tokens to programs. */
type TokenSource = 'aws' | 'gcp';

/** Returns a fresh token of the platform, for the given audience if the platform supports that. */
export type PlatformToken = (audience: string, stop: AbortSignal) => Promise<string>;

interface PlatformTokenOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  /** Address of the metadata service of GCP. */
  readonly gcpAddress?: string;
}

const gcpMetadataAddress = 'http://metadata.google.internal';
const gcpTokenPath = '/computeMetadata/v1/instance/service-accounts/default/identity';
const answerMsMax = 10_000;
const awsTokenVariable = 'AWS_WEB_IDENTITY_TOKEN_FILE';
/** Three parts in base64url. */
const jwtPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * `gcp`: the metadata service signs an identity token of the service account for any audience.
 *
 * `aws`: the token of the service account that EKS mounts into a pod (IRSA) and renews; `AWS_WEB_IDENTITY_TOKEN_FILE`
 * names it. Its audience is that of the mount, `sts.amazonaws.com` unless the pod requests another, and the binding
 * must use it.
 */
export function platformToken(source: TokenSource, options: PlatformTokenOptions): PlatformToken {
  const ask = { gcp: gcpToken, aws: awsToken }[source](options);
  return async (audience, stop) => {
    const token = await ask(audience, stop);
    if (!jwtPattern.test(token)) throw new Error(`${source} returned no identity token`);
    return token;
  };
}

function gcpToken({ clock, gcpAddress = gcpMetadataAddress }: PlatformTokenOptions): PlatformToken {
  return async (audience, stop) => {
    const url = new URL(gcpTokenPath, gcpAddress);
    url.searchParams.set('audience', audience);
    url.searchParams.set('format', 'full');
    const done = new AbortController();
    const ask = httpAsk(clock, answerMsMax, AbortSignal.any([stop, done.signal]));
    try {
      return await ask({ url: url.href, headers: { 'metadata-flavor': 'Google' } });
    } catch (error) {
      throw new Error(`the metadata service of GCP: ${(error as Error).message}`);
    } finally {
      done.abort();
    }
  };
}

function awsToken({ environment }: PlatformTokenOptions): PlatformToken {
  return async () => {
    const path = environment[awsTokenVariable];
    if (path === undefined || path === '') {
      throw new Error(
        `${awsTokenVariable} names no file; the pod needs a service account with a role, or a projected token`,
      );
    }
    return (await readFile(path, 'utf8')).trim();
  };
}
