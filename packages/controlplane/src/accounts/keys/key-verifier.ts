import { controlPlaneLimits } from '../../limits.ts';
import type { AccountsDeps } from '../common/deps.ts';
import { readCounter } from '../database/counters.ts';
import type { Database } from '../database/schema.ts';
import { hashSecret, isKeySecret } from '../secrets/secrets.ts';
import type { ApiKey, Keys } from './keys.ts';

/**
 * What is remembered may be used for so long after it was last known that no key was revoked, and is asked again from
 * half of it on.
 */
const trustedMs = 1_000;
const askedAgainMs = trustedMs / 2;
/** That a key is used is written down at most so often. */
const lastUsedIntervalMs = 60_000;

interface KnownKey {
  readonly key: ApiKey;
  notedMs: number;
}

/**
 * Says whose a key is. Keys are remembered by their hash, so that a busy key costs no question to the database. A
 * counter there goes up with every revocation, in whatever process; when it has changed, everything is forgotten. So a
 * revoked key opens nothing after a second, and nothing at all while the database does not answer.
 */
export class KeyVerifier {
  readonly #database: Database;
  readonly #keys: Keys;
  readonly #deps: AccountsDeps;
  /** The least recently used first. */
  readonly #known = new Map<string, KnownKey>();
  readonly #loading = new Map<string, Promise<ApiKey | undefined>>();
  #revocations: number | undefined;
  /** Counts how often everything was forgotten. */
  #forgotten = 0;
  #confirmedMs = Number.NEGATIVE_INFINITY;
  #confirming: Promise<void> | undefined;
  readonly #noting = new Set<Promise<void>>();

  constructor(database: Database, keys: Keys, deps: AccountsDeps) {
    this.#database = database;
    this.#keys = keys;
    this.#deps = deps;
  }

  /** The key of a secret, or nothing. It is rejected when the database had to be asked and could not answer. */
  async verify(secret: string): Promise<ApiKey | undefined> {
    if (!isKeySecret(secret)) return undefined;
    const hash = hashSecret(secret);
    const ageMs = this.#deps.clock.monotonicMs() - this.#confirmedMs;
    if (ageMs > trustedMs) await this.#confirm();
    else if (ageMs > askedAgainMs) this.#confirm().catch(() => {});
    return this.#recall(hash) ?? (await this.#load(hash));
  }

  /** Waits until what was noted is written. */
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

  /** Asks whether a key was revoked. Concurrent calls share the answer. */
  #confirm(): Promise<void> {
    this.#confirming ??= this.#compareRevocations().finally(() => {
      this.#confirming = undefined;
    });
    return this.#confirming;
  }

  async #compareRevocations(): Promise<void> {
    const askedMs = this.#deps.clock.monotonicMs();
    const revocations = await readCounter(this.#database, 'revocations');
    if (revocations !== this.#revocations) {
      this.#revocations = revocations;
      this.#forgotten++;
      this.#known.clear();
      this.#loading.clear();
    }
    this.#confirmedMs = askedMs;
  }

  #load(hash: string): Promise<ApiKey | undefined> {
    let loading = this.#loading.get(hash);
    if (loading === undefined) {
      loading = this.#ask(hash).finally(() => {
        if (this.#loading.get(hash) === loading) this.#loading.delete(hash);
      });
      this.#loading.set(hash, loading);
    }
    return loading;
  }

  async #ask(hash: string): Promise<ApiKey | undefined> {
    const forgotten = this.#forgotten;
    const key = await this.#keys.findByHash(hash);
    if (key === undefined) return undefined;
    const known: KnownKey = { key, notedMs: key.lastUsedMs ?? Number.NEGATIVE_INFINITY };
    this.#noteUse(known);
    // What was read before a revocation and comes after it was noticed may be the revoked key, and would stay.
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
          problem: error.message,
        });
      })
      .finally(() => this.#noting.delete(noting));
    this.#noting.add(noting);
  }
}
