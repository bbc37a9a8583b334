import type { EntriesView } from '@weir/cluster';
import { addressLevels, clientLevels, type QuotaLevel, quotaEntityKey, readQuotas } from '@weir/cluster';
import { type QuotaKey, RecentlyUsed } from '@weir/core';
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
    return this.#remembered(`address ${address}`, () => addressLevels(address));
  }

  #remembered(key: string, levels: () => readonly QuotaLevel[]): BindingQuotas {
    const { version } = this.#records;
    if (version !== this.#version) this.#found.forgetAll();
    this.#version = version;
    return this.#found.of(key, () => this.#find(levels()));
  }

  #find(levels: readonly QuotaLevel[]): BindingQuotas {
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
