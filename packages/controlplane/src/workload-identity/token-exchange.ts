import { isId } from '@weir/api';
import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import { type CheckedToken, type Claims, checkToken, type Issuers, issuerNamedIn } from '@weir/oidc';
import { agentAudience } from '@weir/rpc';
import type { Authorize } from '../agent-keys.ts';
import {
  type AgentTokenClaims,
  isAgentToken,
  readAgentToken,
  type SecretsOf,
  signAgentToken,
  type TokenSecrets,
} from './agent-tokens.ts';
import type { WorkloadIdentityBinding } from './binding.ts';
import { matchesRule } from './claim-rule.ts';

type MaybePromise<Value> = Value | Promise<Value>;

interface TokenExchangeOptions {
  /** The bindings of a cluster; those of other clusters are skipped. Rejects if they cannot be read now. */
  readonly bindings: (clusterId: string) => MaybePromise<readonly WorkloadIdentityBinding[]>;
  /** The signing secrets of a cluster's tokens. `undefined` until this process knows them. */
  readonly secretsOf: SecretsOf;
  /** Where this process is, and the regions for which agents of a cluster need tokens; without it, there are none. */
  readonly regions?: TokenRegions | undefined;
  /** Of bindings that an operator wrote. */
  readonly issuers: Pick<Issuers, 'of'>;
  /** Of bindings that users created; without it there are none. */
  readonly federationIssuers?: Pick<Issuers, 'of'> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface TokenRegions {
  readonly own: string | undefined;
  of(clusterId: string): readonly string[];
}

interface GivenToken {
  readonly token: string;
  readonly lifetimeMs: number;
  /** One token for each region, `token` among them, if the caller asked for that and this process has a region. */
  readonly byRegion?: { readonly own: string; readonly tokens: ReadonlyMap<string, string> } | undefined;
}

/** Why no token is issued. The caller gets only the kind; the log has the details. */
type ExchangeRefusal = 'not admitted' | 'not ready';

export const exchangesRow: MetricRow<'outcome'> = {
  name: 'agent_token_exchanges_total',
  kind: 'counter',
  help: 'Requests of agents for a token in exchange for that of their platform.',
  labels: ['outcome'],
};

/** Exchanges the token of a platform for one that admits an agent, and verifies the issued tokens. */
export class TokenExchange {
  readonly #options: TokenExchangeOptions;

  constructor(options: TokenExchangeOptions) {
    this.#options = options;
  }

  /** `asksByRegion`: the caller uses each token in its region only. */
  async exchange(
    audience: string,
    subjectToken: string,
    { asksByRegion = false } = {},
  ): Promise<GivenToken | ExchangeRefusal> {
    const { metrics, log } = this.#options;
    const result = await this.#verify(audience, subjectToken, asksByRegion);
    const outcome = 'refusal' in result ? result.refusal.replace(' ', '_') : 'ok';
    metrics.series(exchangesRow, { outcome }).add(1);
    if ('refusal' in result) {
      log.info('refused agent token', { audience: audience.slice(0, 200), error: result.why });
      return result.refusal;
    }
    const { binding, subject, byRegion } = result;
    const regions = byRegion && [...byRegion.tokens.keys()].join(' ');
    log.info('issued agent token', { binding, subject, ...(regions && { regions }) });
    return result;
  }

  /** Admits by tokens; no agent connects with a read-only one. */
  readonly authorize: Authorize = async (clusterId, key) => {
    const binding = await this.bindingBehind(clusterId, key);
    return typeof binding === 'object' ? !binding.isReadOnly : binding;
  };

  /**
   * Returns the binding that issued a token of the cluster; `false` for an invalid token, and `undefined` if it cannot
   * be decided now. A token whose binding was deleted or changed is invalid, and so is one of another region. One
   * without a region is valid: earlier releases issue them, and agents of earlier releases use them in all regions.
   */
  async bindingBehind(
    clusterId: string,
    token: string,
  ): Promise<WorkloadIdentityBinding | false | undefined> {
    if (!isAgentToken(token)) return false;
    const { secretsOf, clock, log } = this.#options;
    const secrets = secretsOf(clusterId);
    if (secrets === undefined) return undefined;
    const claims = readAgentToken(token, secrets);
    if (claims?.clusterId !== clusterId || claims.endMs <= clock.nowMs()) return false;
    if (this.#isOfOtherRegion(claims.region)) {
      const { own } = this.#options.regions!;
      log.info('refused agent token: it is one of another region', { clusterId, region: claims.region, own });
      return false;
    }
    const bindings = await this.#bindingsOf(clusterId);
    return bindings && (bindings.find(({ mark }) => mark === claims.bindingMark) ?? false);
  }

  /** A process without a region may be about to get one, and accepts tokens of all. */
  #isOfOtherRegion(region: string | undefined): boolean {
    const own = this.#options.regions?.own;
    return own !== undefined && region !== undefined && region !== own;
  }

  /** `undefined` if they cannot be read now. */
  async #bindingsOf(clusterId: string): Promise<readonly WorkloadIdentityBinding[] | undefined> {
    const { bindings, log } = this.#options;
    try {
      const all = await bindings(clusterId);
      return all.filter((binding) => binding.clusterId === clusterId);
    } catch (error) {
      log.warn('failed to read workload identity bindings of cluster', {
        clusterId,
        error: (error as Error).message,
      });
      return undefined;
    }
  }

  async #verify(
    audience: string,
    subjectToken: string,
    asksByRegion: boolean,
  ): Promise<(GivenToken & Found) | Refused> {
    const { secretsOf, clock } = this.#options;
    const clusterId = clusterOfAudience(audience);
    const ofCluster = clusterId === undefined ? [] : await this.#bindingsOf(clusterId);
    if (ofCluster === undefined)
      return { refusal: 'not ready', why: 'the bindings of the cluster are not known' };
    if (ofCluster.length === 0) return { refusal: 'not admitted', why: 'no binding is for this audience' };
    const named = issuerNamedIn(subjectToken);
    // Keys are fetched only from issuers of bindings, or any caller could make this process call any address.
    const ofIssuer = ofCluster.filter((binding) => binding.issuer === named);
    if (ofIssuer.length === 0)
      return { refusal: 'not admitted', why: 'no binding is for the issuer of the token' };
    const problems: string[] = [];
    const check = this.#checkOnce(subjectToken);
    // Bindings that are not read-only come first.
    for (const binding of ofIssuer.toSorted(
      (one, other) => Number(one.isReadOnly) - Number(other.isReadOnly),
    )) {
      const { clusterId: id, mark, lifetimeMs, name } = binding;
      const checked = await check(binding);
      if ('problem' in checked) {
        if (checked.isIssuerAway) return { refusal: 'not ready', why: checked.problem };
        problems.push(`${name}: ${checked.problem}`);
        continue;
      }
      const broken = brokenRule(binding, checked.claims);
      if (broken !== undefined) {
        problems.push(`${name}: ${broken}`);
        continue;
      }
      const secrets = secretsOf(id);
      if (secrets === undefined) return { refusal: 'not ready', why: 'the cluster is not known here yet' };
      const endMs = clock.nowMs() + lifetimeMs;
      const claims = { clusterId: id, bindingMark: mark, endMs };
      const given = asksByRegion ? this.#signedByRegion(claims, secrets) : undefined;
      const token = given?.tokens.get(given.own) ?? signAgentToken(claims, secrets);
      return { token, lifetimeMs, byRegion: given, binding: name, subject: checked.subject.slice(0, 200) };
    }
    return { refusal: 'not admitted', why: problems.slice(0, problemsShownMax).join('; ') };
  }

  #signedByRegion(claims: AgentTokenClaims, secrets: TokenSecrets): GivenToken['byRegion'] {
    const { own, of } = this.#options.regions ?? {};
    if (own === undefined || of === undefined) return undefined;
    const regions = new Set([own, ...of(claims.clusterId)]);
    return {
      own,
      tokens: new Map([...regions].map((region) => [region, signAgentToken({ ...claims, region }, secrets)])),
    };
  }

  /**
   * Many bindings may name one issuer and audience, and verifying a signature is expensive: it is done once for all of
   * them.
   */
  #checkOnce(token: string): (binding: WorkloadIdentityBinding) => Promise<CheckedToken> {
    const { clock } = this.#options;
    const known = new Map<string, Promise<CheckedToken>>();
    return (binding) => {
      const { issuer, audience, isOperators } = binding;
      const about = JSON.stringify([isOperators, audience]);
      const checked =
        known.get(about) ??
        checkToken(token, { issuer: this.#issuersFor(binding).of(issuer), audience, clock });
      known.set(about, checked);
      return checked;
    };
  }

  #issuersFor({ isOperators, name }: WorkloadIdentityBinding): Pick<Issuers, 'of'> {
    const { issuers, federationIssuers } = this.#options;
    if (isOperators) return issuers;
    if (federationIssuers === undefined) throw new Error(`${name}: there are no issuers for federations`);
    return federationIssuers;
  }
}

/** Bindings whose problems are in one line of the log. */
const problemsShownMax = 5;

/** Returns the cluster that an audience names. */
function clusterOfAudience(audience: string): string | undefined {
  const prefix = agentAudience('');
  const clusterId = audience.slice(prefix.length);
  return audience.startsWith(prefix) && isId('cluster', clusterId) ? clusterId : undefined;
}

interface Found {
  readonly binding: string;
  readonly subject: string;
}

interface Refused {
  readonly refusal: ExchangeRefusal;
  readonly why: string;
}

function brokenRule({ rules }: WorkloadIdentityBinding, claims: Claims): string | undefined {
  const broken = rules.find((rule) => !matchesRule(rule, claims));
  return broken === undefined ? undefined : `the claim ${broken.path} is another one`;
}
