import type { Clock, Environment } from '@weir/core';
import { type Ask, httpAsk } from './ask.ts';
import { type PlatformAddresses, platformAddresses, platforms } from './platforms.ts';

interface ZoneLookupOptions {
  readonly clock: Clock;
  readonly environment: Environment;
  readonly wantsId: boolean;
  readonly stop: AbortSignal;
  /** Default: the real addresses. */
  readonly addresses?: PlatformAddresses;
  readonly ask?: Ask;
}

export type FoundZone =
  | { readonly zone: string; readonly platform: string }
  /** Why each platform gave no zone. */
  | { readonly problem: string };

/** Time limit for each platform. They are queried in parallel. */
const platformTimeoutMs = 5_000;

/** Queries the platforms for the zone of this machine. The first one of the list with a zone wins. */
export async function lookUpZone(options: ZoneLookupOptions): Promise<FoundZone> {
  const { clock, environment, wantsId, addresses = platformAddresses } = options;
  const done = new AbortController();
  const stop = AbortSignal.any([options.stop, done.signal]);
  const lookups = platforms.map(({ zone }) => {
    const ask = options.ask ?? httpAsk(clock, platformTimeoutMs, stop);
    return zone({ ask, addresses, environment, wantsId }).catch((error: unknown) => error as Error);
  });
  const problems: string[] = [];
  try {
    for (const [index, { name }] of platforms.entries()) {
      const answer = await lookups[index];
      if (typeof answer === 'string' && isZoneName(answer)) return { zone: answer, platform: name };
      if (typeof answer === 'string') problems.push(`${name}: response is not a zone name`);
      if (answer instanceof Error) problems.push(`${name}: ${answer.message}`);
    }
    return { problem: problems.join('; ') };
  } finally {
    done.abort();
  }
}

/** Format of zone names on all platforms. */
function isZoneName(text: string): boolean {
  return /^[a-z0-9-]{1,128}$/.test(text);
}
