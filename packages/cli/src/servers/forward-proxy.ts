import { readFileSync } from 'node:fs';
import type { ForwardProxy } from '@weir/rpc';
import type { FlagValues } from '../flags/catalogue.ts';

/** The proxy for connections to the control plane, if any. */
export function forwardProxy({
  httpProxy,
  httpsProxyCACertFile,
}: Pick<FlagValues, 'httpProxy' | 'httpsProxyCACertFile'>): ForwardProxy | undefined {
  if (httpProxy === undefined) return undefined;
  const ca = httpsProxyCACertFile === undefined ? undefined : readFileSync(httpsProxyCACertFile, 'utf8');
  return { url: httpProxy, ca };
}
