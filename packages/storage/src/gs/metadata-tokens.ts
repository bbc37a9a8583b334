import type { Clock, Environment } from '@weir/core';
import type { TokenSource } from './access-tokens.ts';
import { requestToken } from './token-request.ts';

const defaultHost = 'metadata.google.internal';
const tokenPath = '/computeMetadata/v1/instance/service-accounts/default/token';

/** Tokens of the service account of the machine, or of the workload identity of its pod. */
export function metadataTokens({
  clock,
  environment,
}: {
  readonly clock: Clock;
  readonly environment: Environment;
}): TokenSource {
  const url = `http://${environment.GCE_METADATA_HOST || defaultHost}${tokenPath}`;
  return (signal) => requestToken({ url, headers: { 'metadata-flavor': 'Google' } }, clock, signal);
}
