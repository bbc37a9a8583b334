import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { AllowedHosts } from '@weir/cluster/outbound';

/** Decides where a pipeline may connect to. */
export interface OutboundAccess {
  /**
   * The `lookup` of a connection to a host: it resolves the name once and returns only addresses that are allowed, so
   * that a second answer of the DNS has no effect. Throws one line if the host cannot be allowed.
   */
  lookupFor(host: string, port: number): LookupFunction;
  /** Throws one line if the host, or every address that its name stands for, is not allowed. Without a port, any. */
  check(host: string, port?: number): Promise<void>;
}

/** For pipelines that a person runs: they may connect to what this person may. */
export const unlimitedAccess: OutboundAccess = {
  lookupFor: () => systemLookup as LookupFunction,
  check: async () => {},
};

/**
 * For pipelines of tenants: what the operator lists (ADR 0070), which is the public internet if nothing is listed. The
 * resolver is a parameter for tests.
 */
export function listedAccess(
  entries: readonly string[] = ['public'],
  resolve?: typeof systemLookup,
): OutboundAccess {
  const hosts = new AllowedHosts(entries, resolve);
  return {
    lookupFor: (host, port) => hosts.lookupFor(host, port),
    check: async (host, port) => {
      if (port === undefined) {
        const problem = hosts.problemOf(host);
        if (problem !== undefined) throw new Error(`the host ${host} ${problem}`);
        return;
      }
      await resolved(hosts.lookupFor(host, port), host);
    },
  };
}

/** An address that a connection may use, for clients that take no `lookup`. The connection has to use it. */
export async function pinnedAddress(outbound: OutboundAccess, host: string, port: number): Promise<string> {
  const lookup = outbound.lookupFor(host, port);
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? resolved(lookup, bare) : bare;
}

function resolved(lookup: LookupFunction, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: false }, (error, address) => {
      if (error) reject(error);
      else resolve(String(address));
    });
  });
}
