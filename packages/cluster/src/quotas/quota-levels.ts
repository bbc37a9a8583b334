import type { QuotaEntity } from '../calls/principal-calls.ts';

/** An entity whose quotas may apply to a client. */
export interface QuotaLevel {
  readonly entity: QuotaEntity;
  /** The names by which a quota of this level is counted: all clients of a user share the quota of the user. */
  readonly sharedBy: readonly string[];
}

/**
 * Returns the entities of a client, the most specific first, whose quotas win: user with client id before user alone,
 * before client id alone, and names before defaults.
 */
export function clientLevels(user: string, clientId: string): QuotaLevel[] {
  const of = (type: string, name: string | null) => ({ type, name });
  const levels: QuotaLevel[] = [];
  for (const userName of [user, null]) {
    for (const clientName of [clientId, null]) {
      const entity = [of('user', userName), of('client-id', clientName)];
      levels.push({ entity, sharedBy: [user, clientId] });
    }
    levels.push({ entity: [of('user', userName)], sharedBy: [user] });
  }
  for (const clientName of [clientId, null]) {
    levels.push({ entity: [of('client-id', clientName)], sharedBy: [clientId] });
  }
  return levels;
}

/** The same for an address. */
export function addressLevels(address: string): QuotaLevel[] {
  return [address, null].map((name) => ({ entity: [{ type: 'ip', name }], sharedBy: [address] }));
}
