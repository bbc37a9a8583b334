import type { ReportedExpiry } from '@weir/cluster';
import {
  type Clock,
  type JitteredBackOff,
  jitteredBackOffMs,
  type Log,
  type MetricRow,
  type Metrics,
  type Random,
} from '@weir/core';
import {
  agentAudience,
  agentTokenPath,
  type ForwardProxy,
  type KeyPlace,
  regionTokens,
  tokenExchange,
} from '@weir/rpc';
import { agentLimits } from '../limits.ts';
import { firstAnswer } from './first-answer.ts';
import { type GivenTokens, HeldTokens } from './held-tokens.ts';
import type { PlatformToken } from './platform-token.ts';
import { postForm } from './post-form.ts';

export interface AgentTokenOptions {
  readonly clusterId: string;
  /** URLs of the control plane, asked in this order. */
  readonly urls: () => readonly string[];
  readonly platformToken: PlatformToken;
  readonly proxy?: ForwardProxy | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

export const refreshesRow: MetricRow<'outcome'> = {
  name: 'agent_token_refreshes_total',
  kind: 'counter',
  help: 'Attempts to exchange the token of the platform for one that admits this agent.',
  labels: ['outcome'],
};

/**
 * A token is replaced within this part of its lifetime, so that there is time for several attempts, and agents do not
 * refresh at the same time.
 */
const refreshPartMin = 0.5;
const refreshPartMax = 0.75;
const retryBackOff: JitteredBackOff = { firstMs: 500, maxMs: 15_000, jitter: 'half' };
/**
 * Agents learn of a new region together, and ask for its token within this time. A region that returned leads its
 * clusters only after 30 s.
 */
const aheadMsMax = 10_000;
/** How often a token for a region is asked for ahead; then at the next renewal. */
const aheadAttemptsMax = 3;
/**
 * How long an address has before the next one is asked, too. A token may live a minute and be replaced 15 s before its
 * end: five addresses of lost regions leave time enough for another one.
 */
const nextAddressAfterMs = 2_000;
/** Limit on the reason that a control plane returns for a refusal. */
const problemCharsMax = 300;

/**
 * Credential of an agent without a key: a token that the control plane issues in exchange for the identity token of the
 * agent's platform, and that is replaced well before it expires. Where control planes have regions, one exchange gives
 * a token for each, so that a connection to another region needs none.
 */
export class AgentToken {
  readonly #options: AgentTokenOptions;
  readonly #stopping = new AbortController();
  readonly #held = Promise.withResolvers<void>();
  #tokens: HeldTokens | undefined;
  #problem = 'it was not given yet';
  #failures = 0;
  /** Exchanges before their time since the last one that was due, so that refusals without end do not ask without. */
  #hastened = 0;
  #isRefreshing = false;
  /** The regions that have control planes, and how often one was asked for whose token is missing. */
  #regions: readonly string[] = [];
  readonly #asked = new Map<string, number>();
  #dueMs = Number.POSITIVE_INFINITY;
  #cancel = () => {};

  constructor(options: AgentTokenOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#refresh();
  }

  /** Resolves when there is a token for the first time. */
  whenHeld(): Promise<void> {
    return this.#held.promise;
  }

  /** Returns the token for a control plane. Throws while there is no valid one, and asks for one that is missing. */
  current(place?: KeyPlace): string {
    const tokens = this.#tokens;
    if (tokens === undefined || tokens.endMs <= this.#options.clock.monotonicMs()) {
      throw new Error(`no agent token: ${this.#problem}`);
    }
    const text = tokens.at(place);
    if (text === undefined) {
      this.#hasten();
      const where = place?.region === undefined ? `that ${place?.url} accepts` : `for region ${place.region}`;
      throw new Error(`no agent token ${where}`);
    }
    return text;
  }

  /** Returns when the token expires; an empty list if there never was one. */
  expiry(): readonly ReportedExpiry[] {
    const tokens = this.#tokens;
    if (tokens === undefined) return [];
    const { clock } = this.#options;
    const expiresMs = Math.round(clock.nowMs() + tokens.endMs - clock.monotonicMs());
    return [{ name: 'agent token', expiresMs, issuedMs: expiresMs - tokens.lifetimeMs }];
  }

  /** Called when the control plane refuses the token before it expires. */
  refused(text: string, place: KeyPlace): void {
    if (this.#tokens?.refuse(text, place) === true) this.#hasten();
  }

  /** Called with the regions that have control planes: missing tokens are asked for before they are needed. */
  expect(regions: readonly string[]): void {
    const known = regions.slice(0, agentLimits.heldTokenRegionsMax);
    if (known.join() === this.#regions.join()) return;
    this.#regions = known;
    this.#askAhead();
  }

  stop(): void {
    this.#stopping.abort();
    this.#cancel();
  }

  async #refresh(): Promise<void> {
    const { clock, log, metrics, random } = this.#options;
    this.#isRefreshing = true;
    try {
      const given = await this.#exchanged();
      const tokens = new HeldTokens(given, clock.monotonicMs());
      const { lifetimeMs, regions } = tokens;
      this.#tokens = tokens;
      this.#failures = 0;
      this.#held.resolve();
      metrics.series(refreshesRow, { outcome: 'ok' }).add(1);
      log.debug('renewed agent token', { lifetimeMs, regions: regions.join(' ') });
      const part = refreshPartMin + random.next() * (refreshPartMax - refreshPartMin);
      this.#later(part * lifetimeMs, () => {
        this.#hastened = 0;
      });
      this.#countMissing(tokens);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#problem = (error as Error).message;
      metrics.series(refreshesRow, { outcome: 'failed' }).add(1);
      log.warn('failed to renew agent token, retrying', { error: this.#problem });
      this.#retryLater();
    } finally {
      this.#isRefreshing = false;
    }
    this.#askAhead();
  }

  #countMissing(tokens: HeldTokens): void {
    const missing = tokens.missing(this.#regions);
    for (const region of this.#asked.keys()) if (!missing.includes(region)) this.#asked.delete(region);
    for (const region of missing) this.#asked.set(region, (this.#asked.get(region) ?? 0) + 1);
  }

  #askAhead(): void {
    // After a failure the next exchange is near, and asks for all.
    if (this.#failures > 0) return;
    const missing = this.#tokens?.missing(this.#regions) ?? [];
    if (missing.some((region) => (this.#asked.get(region) ?? 0) < aheadAttemptsMax))
      this.#sooner(this.#options.random.next() * aheadMsMax);
  }

  /** Asks for tokens because those that there are do not admit. */
  #hasten(): void {
    if (this.#sooner(jitteredBackOffMs(this.#hastened, retryBackOff, this.#options.random))) this.#hastened++;
  }

  #retryLater(): void {
    this.#later(jitteredBackOffMs(this.#failures++, retryBackOff, this.#options.random));
  }

  /** Returns whether the next exchange is sooner for it. */
  #sooner(delayMs: number): boolean {
    if (this.#isRefreshing || this.#options.clock.monotonicMs() + delayMs >= this.#dueMs) return false;
    this.#later(delayMs);
    return true;
  }

  #later(delayMs: number, onDue = () => {}): void {
    if (this.#stopping.signal.aborted) return;
    const { clock } = this.#options;
    this.#cancel();
    this.#dueMs = clock.monotonicMs() + delayMs;
    this.#cancel = clock.after(delayMs, () => {
      onDue();
      void this.#refresh();
    });
  }

  async #exchanged(): Promise<GivenTokens> {
    const { clusterId, urls, platformToken, clock } = this.#options;
    const audience = agentAudience(clusterId);
    const form = new URLSearchParams({
      grant_type: tokenExchange.grantType,
      subject_token_type: tokenExchange.subjectTokenTypes[0],
      subject_token: await platformToken(audience, this.#stopping.signal),
      audience,
      [regionTokens.parameter]: regionTokens.wanted,
    });
    const stop = this.#stopping.signal;
    return firstAnswer(
      urls().map((url) => (signal: AbortSignal) => this.#exchangedAt(url, form, signal)),
      { clock, nextAfterMs: nextAddressAfterMs, stop },
    );
  }

  async #exchangedAt(address: string, form: URLSearchParams, stop: AbortSignal): Promise<GivenTokens> {
    const { proxy, clock } = this.#options;
    const base = new URL(address);
    if (!base.pathname.endsWith('/')) base.pathname += '/';
    const url = new URL(agentTokenPath, base);
    const { status, text } = await postForm({ url, form, proxy, clock, stop });
    const body = fieldsOf(text);
    const { access_token: token, expires_in: seconds, error_description: why } = body;
    if (status !== 200) {
      const detail = typeof why === 'string' ? `: ${why.slice(0, problemCharsMax)}` : '';
      throw new Error(`${url.origin}: no token, status ${status}${detail}`);
    }
    if (typeof token !== 'string' || typeof seconds !== 'number' || !(seconds > 0)) {
      throw new Error(`${url.origin}: the response has no access_token and expires_in`);
    }
    const byRegion = regionTokensOf(body);
    if (byRegion === 'unreadable')
      throw new Error(`${url.origin}: region_tokens of the response is not one token for each region`);
    return { text: token, lifetimeMs: seconds * 1000, byRegion };
  }
}

/** `undefined` from a control plane without a region, or of an earlier release. */
function regionTokensOf(body: Readonly<Record<string, unknown>>): GivenTokens['byRegion'] | 'unreadable' {
  const { region: own, region_tokens: found, access_token: token } = body;
  if (own === undefined) return undefined;
  if (typeof own !== 'string' || typeof found !== 'object' || found === null) return 'unreadable';
  const tokens = new Map(Object.entries(found as Record<string, unknown>));
  const areTexts = [...tokens.values()].every((text) => typeof text === 'string');
  if (!areTexts || tokens.size > agentLimits.heldTokenRegionsMax || tokens.get(own) !== token)
    return 'unreadable';
  return { own, tokens: tokens as Map<string, string> };
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
