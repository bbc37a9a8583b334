import type { EntriesView } from '@weir/cluster';
import { type QuotaEntity, type QuotaKey, quotaEntityKey, readQuotas } from '@weir/cluster';
import { RecentlyUsed } from '@weir/core';
import { brokerLimits } from '../limits.ts';

/** The client of a request. */
export interface QuotaClient {
  readonly user: string;
  readonly clientId: string;
}

/** The quota that applies to a client or an address. */
export interface BindingQuota {
  readonly perSecond: number;
  /** Clients with the same key share the quota. */
  readonly sharedKey: string;
}

type BindingQuotas = { readonly [Key in QuotaKey]?: BindingQuota };

interface Level {
  readonly entity: QuotaEntity;
  /** The names by which a quota of this level is counted: all clients of a user share the quota of the user. */
  readonly sharedBy: readonly string[];
}

/**
 * Finds the quotas that apply. For each type the most specific entity wins: user with client id before user alone,
 * before client id alone, and names before defaults.
 */
export class QuotaLookup {
  readonly #records: EntriesView;
  readonly #found = new RecentlyUsed<BindingQuotas>(brokerLimits.rememberedClientIdsMax);
  #version = -1;

  constructor(records: EntriesView) {
    this.#records = records;
  }

  /** Whether there are no quotas at all. */
  get isEmpty(): boolean {
    return this.#records.byKey.size === 0;
  }

  ofClient({ user, clientId }: QuotaClient): BindingQuotas {
    return this.#remembered(`client ${user.length} ${user} ${clientId}`, () => clientLevels(user, clientId));
  }

  ofAddress(address: string): BindingQuotas {
    return this.#remembered(`address ${address}`, () =>
      [address, null].map((name) => ({ entity: [{ type: 'ip', name }], sharedBy: [address] })),
    );
  }

  #remembered(key: string, levels: () => readonly Level[]): BindingQuotas {
    const { version } = this.#records;
    if (version !== this.#version) this.#found.forgetAll();
    this.#version = version;
    return this.#found.of(key, () => this.#find(levels()));
  }

  #find(levels: readonly Level[]): BindingQuotas {
    const found: Record<string, BindingQuota> = {};
    for (const { entity, sharedBy } of levels) {
      const value = this.#records.byKey.get(quotaEntityKey(entity));
      if (value === undefined) continue;
      const names = entity.map(({ type }, index) => [type, sharedBy[index]]);
      for (const [key, perSecond] of Object.entries(readQuotas(value))) {
        found[key] ??= { perSecond, sharedKey: JSON.stringify([key, names]) };
      }
    }
    return found;
  }
}

/** Most specific first. */
function clientLevels(user: string, clientId: string): Level[] {
  const of = (type: string, name: string | null) => ({ type, name });
  const levels: Level[] = [];
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
