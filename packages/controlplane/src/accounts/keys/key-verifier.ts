import { controlPlaneLimits } from '../../limits.ts';
import type { AccountsDeps } from '../common/deps.ts';
import { readCounter } from '../database/counters.ts';
import type { Database } from '../database/schema.ts';
import { hashSecret, isKeySecret } from '../secrets/secrets.ts';
import type { ApiKey, Keys } from './keys.ts';

/**
 * Cached keys are valid for this long after the last confirmation that no key was revoked; the confirmation is renewed
 * after half of it.
 */
const trustedMs = 1_000;
const confirmAfterMs = trustedMs / 2;
/** The last use of a key is written at most this often. */
const lastUsedIntervalMs = 60_000;

interface KnownKey {
  readonly key: ApiKey;
  notedMs: number;
}

/**
 * Verifies keys. It caches keys by their hash, so that a busy key costs no query. A counter in the database is
 * incremented by every revocation in any process; when it has changed, the cache is cleared. So a revoked key is
 * accepted for at most another second, and no key is accepted for longer than that while the database does not answer.
 */
export class KeyVerifier {
  readonly #database: Database;
  readonly #keys: Keys;
  readonly #deps: AccountsDeps;
  /** The least recently used first. */
  readonly #known = new Map<string, KnownKey>();
  readonly #loading = new Map<string, Promise<ApiKey | undefined>>();
  #revocations: number | undefined;
  /** How often the cache was cleared. */
  #forgotten = 0;
  #confirmedMs = Number.NEGATIVE_INFINITY;
  #confirming: Promise<void> | undefined;
  readonly #noting = new Set<Promise<void>>();

  constructor(database: Database, keys: Keys, deps: AccountsDeps) {
    this.#database = database;
    this.#keys = keys;
    this.#deps = deps;
  }

  /** Returns the key of a secret, if there is one. Rejects if the database was needed and did not answer. */
  async verify(secret: string): Promise<ApiKey | undefined> {
    if (!isKeySecret(secret)) return undefined;
    const hash = hashSecret(secret);
    const ageMs = this.#deps.clock.monotonicMs() - this.#confirmedMs;
    if (ageMs > trustedMs) await this.#confirm();
    else if (ageMs > confirmAfterMs) this.#confirm().catch(() => {});
    return this.#recall(hash) ?? (await this.#load(hash));
  }

  /** Waits until pending writes are done. */
  async close(): Promise<void> {
    await Promise.all(this.#noting);
  }

  #recall(hash: string): ApiKey | undefined {
    const known = this.#known.get(hash);
    if (known === undefined) return undefined;
    this.#known.delete(hash);
    this.#known.set(hash, known);
    this.#noteUse(known);
    return known.key;
  }

  /** Checks for revocations. Concurrent calls share the query. */
  #confirm(): Promise<void> {
    this.#confirming ??= this.#compareRevocations().finally(() => {
      this.#confirming = undefined;
    });
    return this.#confirming;
  }

  async #compareRevocations(): Promise<void> {
    const startedMs = this.#deps.clock.monotonicMs();
    const revocations = await readCounter(this.#database, 'revocations');
    if (revocations !== this.#revocations) {
      this.#revocations = revocations;
      this.#forgotten++;
      this.#known.clear();
      this.#loading.clear();
    }
    this.#confirmedMs = startedMs;
  }

  #load(hash: string): Promise<ApiKey | undefined> {
    let loading = this.#loading.get(hash);
    if (loading === undefined) {
      loading = this.#read(hash).finally(() => {
        if (this.#loading.get(hash) === loading) this.#loading.delete(hash);
      });
      this.#loading.set(hash, loading);
    }
    return loading;
  }

  async #read(hash: string): Promise<ApiKey | undefined> {
    const forgotten = this.#forgotten;
    const key = await this.#keys.findByHash(hash);
    if (key === undefined) return undefined;
    const known: KnownKey = { key, notedMs: key.lastUsedMs ?? Number.NEGATIVE_INFINITY };
    this.#noteUse(known);
    // A read that began before a revocation and ended after it was noticed may have the revoked key, which must not
    // stay in the cache.
    if (forgotten === this.#forgotten) this.#remember(hash, known);
    return key;
  }

  #remember(hash: string, known: KnownKey): void {
    this.#known.set(hash, known);
    if (this.#known.size <= controlPlaneLimits.verifiedKeysMax) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest!);
  }

  #noteUse(known: KnownKey): void {
    const nowMs = this.#deps.clock.nowMs();
    if (nowMs - known.notedMs < lastUsedIntervalMs) return;
    known.notedMs = nowMs;
    const noting = this.#keys
      .noteUse(known.key.id, nowMs, nowMs - lastUsedIntervalMs)
      .catch((error: Error) => {
        this.#deps.log.warn('failed to store last use of API key', {
          key: known.key.name,
          error: error.message,
        });
      })
      .finally(() => this.#noting.delete(noting));
    this.#noting.add(noting);
  }
}
