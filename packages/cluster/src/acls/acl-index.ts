import {
  type Acl,
  type AclOperation,
  type AclPatternType,
  aclOperations,
  type NeededOperation,
} from '@weir/core';
import { everyName } from './acl-filter.ts';

/** An authorization query. */
export interface AclQuestion {
  /** All names of the caller, as `User:name`. A rule about any of them applies. */
  readonly principals: readonly string[];
  /** The caller's address. */
  readonly host: string;
  readonly operation: NeededOperation;
  readonly resourceType: Acl['resourceType'];
  readonly resourceName: string;
}

export interface AclDecision {
  readonly isAllowed: boolean;
  /** The deciding rule; `undefined` if no rule applies and access is denied by default. */
  readonly rule: Acl | undefined;
}

/**
 * Operations as bits, by Kafka's numbers. Every rule is one bit, so that rules can be added and removed individually.
 */
interface Permits {
  allow: number;
  deny: number;
}

type PermitsByHost = Map<string, Permits>;

/** Rules about one principal for the resources of one type. */
interface Patterns {
  readonly literal: Map<string, PermitsByHost>;
  readonly prefixed: Map<string, PermitsByHost>;
  /** Number of prefixes per hash, so that a lookup need not slice out every prefix of a name. */
  readonly prefixHashes: Map<number, number>;
}

const anyPrincipal = 'User:*';
const everyHost = '*';
const denied: AclDecision = { isAllowed: false, rule: undefined };

/**
 * The rules of a cluster, indexed so that a decision examines only the rules about one principal.
 *
 * It decides like Apache Kafka: any DENY overrides every ALLOW; `ALL` is every operation; READ, WRITE, DELETE or ALTER
 * imply DESCRIBE, and ALTER_CONFIGS implies DESCRIBE_CONFIGS; without an ALLOW, access is denied. Beyond Kafka,
 * `User:spiffe://<trust domain>/*` is every workload of the domain, and a prefix `*` matches nothing.
 */
export class AclIndex {
  readonly #byType = new Map<Acl['resourceType'], Map<string, Patterns>>();

  static of(acls: Iterable<Acl>): AclIndex {
    const index = new AclIndex();
    for (const acl of acls) index.put(acl);
    return index;
  }

  put(acl: Acl): void {
    if (isInert(acl)) return;
    const { resourceType, principal, patternType, resourceName, host } = acl;
    const byPrincipal = entryOf(this.#byType, resourceType, () => new Map<string, Patterns>());
    const patterns = entryOf(byPrincipal, principal, noPatterns);
    const byName = namesOf(patterns, patternType);
    if (patternType === 'PREFIXED' && !byName.has(resourceName)) countPrefix(patterns, resourceName, 1);
    const byHost = entryOf(byName, resourceName, () => new Map<string, Permits>());
    const permits = entryOf(byHost, host, () => ({ allow: 0, deny: 0 }));
    permits[sideOf(acl.permission)] |= bitOf(acl.operation);
  }

  /** Deleting a rule that does not exist has no effect. */
  delete(acl: Acl): void {
    const { resourceType, principal, patternType, resourceName, host } = acl;
    const byPrincipal = this.#byType.get(resourceType);
    const patterns = byPrincipal?.get(principal);
    const byName = patterns === undefined ? undefined : namesOf(patterns, patternType);
    const byHost = byName?.get(resourceName);
    const permits = byHost?.get(host);
    if (permits === undefined) return;
    permits[sideOf(acl.permission)] &= ~bitOf(acl.operation);
    if ((permits.allow | permits.deny) !== 0) return;
    // Removes empty maps, so that rules that come and go do not leak memory.
    byHost!.delete(host);
    if (byHost!.size > 0) return;
    byName!.delete(resourceName);
    if (patternType === 'PREFIXED') countPrefix(patterns!, resourceName, -1);
    if (patterns!.literal.size + patterns!.prefixed.size === 0) byPrincipal!.delete(principal);
  }

  decide(question: AclQuestion): AclDecision {
    const byPrincipal = this.#byType.get(question.resourceType);
    if (byPrincipal === undefined) return denied;
    const search = new RuleSearch(question);
    for (const principal of spellings(question.principals)) {
      const patterns = byPrincipal.get(principal);
      if (patterns !== undefined && search.isDenied(principal, patterns)) break;
    }
    return search.decision;
  }

  /**
   * Returns whether there is any resource name for which the operation is allowed: an ALLOW rule that no DENY rule
   * covers.
   */
  allowsOnSome({ principals, host, operation, resourceType }: Omit<AclQuestion, 'resourceName'>): boolean {
    const byPrincipal = this.#byType.get(resourceType);
    if (byPrincipal === undefined) return false;
    const found = spellings(principals).flatMap((principal) => byPrincipal.get(principal) ?? []);
    const namesWhere = (patternType: AclPatternType, side: keyof Permits, bits: number) => {
      const names = new Set<string>();
      for (const patterns of found) {
        for (const [name, byHost] of namesOf(patterns, patternType)) {
          const here = (byHost.get(host)?.[side] ?? 0) | (byHost.get(everyHost)?.[side] ?? 0);
          if ((here & bits) !== 0) names.add(name);
        }
      }
      return names;
    };
    const deniedNames = namesWhere('LITERAL', 'deny', denyingBits(operation));
    if (deniedNames.has(everyName)) return false;
    const allowedNames = namesWhere('LITERAL', 'allow', allowingBits(operation));
    if (allowedNames.has(everyName)) return true;
    const deniedPrefixes = namesWhere('PREFIXED', 'deny', denyingBits(operation));
    const lengths = new Set(Array.from(deniedPrefixes, (prefix) => prefix.length));
    const isFree = (name: string) =>
      lengths.values().every((length) => length > name.length || !deniedPrefixes.has(name.slice(0, length)));
    if (allowedNames.values().some((name) => !deniedNames.has(name) && isFree(name))) return true;
    return namesWhere('PREFIXED', 'allow', allowingBits(operation)).values().some(isFree);
  }
}

/** Search for the rule that decides one query. The first DENY ends it; of the ALLOW rules, it remembers the first. */
class RuleSearch {
  readonly #question: AclQuestion;
  readonly #denying: number;
  readonly #allowing: number;
  decision: AclDecision = denied;

  constructor(question: AclQuestion) {
    this.#question = question;
    this.#denying = denyingBits(question.operation);
    this.#allowing = allowingBits(question.operation);
  }

  isDenied(principal: string, { literal, prefixed, prefixHashes }: Patterns): boolean {
    const { resourceName } = this.#question;
    if (this.#isDeniedBy(literal.get(resourceName), principal, 'LITERAL', resourceName)) return true;
    if (this.#isDeniedBy(literal.get(everyName), principal, 'LITERAL', everyName)) return true;
    if (prefixed.size === 0) return false;
    let hash = hashStart;
    for (let index = 0; index < resourceName.length; index++) {
      hash = hashWith(hash, resourceName.charCodeAt(index));
      if (!prefixHashes.has(hash)) continue;
      const prefix = resourceName.slice(0, index + 1);
      if (this.#isDeniedBy(prefixed.get(prefix), principal, 'PREFIXED', prefix)) return true;
    }
    return false;
  }

  #isDeniedBy(
    byHost: PermitsByHost | undefined,
    principal: string,
    patternType: AclPatternType,
    resourceName: string,
  ): boolean {
    if (byHost === undefined) return false;
    const { resourceType, operation, host: askingHost } = this.#question;
    for (const host of [askingHost, everyHost]) {
      const permits = byHost.get(host);
      if (permits === undefined) continue;
      const about = { resourceType, resourceName, patternType, principal, host };
      const deny = permits.deny & this.#denying;
      if (deny !== 0) {
        const rule: Acl = { ...about, operation: firstOperation(deny, operation), permission: 'DENY' };
        this.decision = { isAllowed: false, rule };
        return true;
      }
      const allow = permits.allow & this.#allowing;
      if (allow === 0 || this.decision.isAllowed) continue;
      const rule: Acl = { ...about, operation: firstOperation(allow, operation), permission: 'ALLOW' };
      this.decision = { isAllowed: true, rule };
    }
    return false;
  }
}

function noPatterns(): Patterns {
  return { literal: new Map(), prefixed: new Map(), prefixHashes: new Map() };
}

function namesOf(patterns: Patterns, patternType: AclPatternType): Map<string, PermitsByHost> {
  return patternType === 'LITERAL' ? patterns.literal : patterns.prefixed;
}

/** FNV-1a, truncated to 30 bits: the largest integers that are fast as map keys. */
const hashStart = 0x011c9dc5;

function hashWith(hash: number, charCode: number): number {
  return Math.imul(hash ^ charCode, 0x01000193) & 0x3fffffff;
}

function countPrefix({ prefixHashes }: Patterns, prefix: string, change: 1 | -1): void {
  let hash = hashStart;
  for (let index = 0; index < prefix.length; index++) hash = hashWith(hash, prefix.charCodeAt(index));
  const count = (prefixHashes.get(hash) ?? 0) + change;
  if (count === 0) prefixHashes.delete(hash);
  else prefixHashes.set(hash, count);
}

function isInert({ patternType, resourceName }: Acl): boolean {
  return patternType === 'PREFIXED' && resourceName === everyName;
}

function sideOf(permission: Acl['permission']): keyof Permits {
  return permission === 'ALLOW' ? 'allow' : 'deny';
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}

function bitOf(operation: AclOperation): number {
  return 1 << aclOperations[operation];
}

/** Operations that an ALLOW of any listed operation implies. A DENY implies nothing. */
const allowedWith: { readonly [Operation in NeededOperation]?: readonly AclOperation[] } = {
  DESCRIBE: ['READ', 'WRITE', 'DELETE', 'ALTER'],
  DESCRIBE_CONFIGS: ['ALTER_CONFIGS'],
};

function denyingBits(operation: NeededOperation): number {
  return bitOf(operation) | bitOf('ALL');
}

function allowingBits(operation: NeededOperation): number {
  return (allowedWith[operation] ?? []).reduce((bits, other) => bits | bitOf(other), denyingBits(operation));
}

const operationNames = Object.keys(aclOperations) as readonly AclOperation[];

/** Chooses the rule to report among several with the same effect: the requested operation, if present. */
function firstOperation(bits: number, needed: NeededOperation): AclOperation {
  if ((bits & bitOf(needed)) !== 0) return needed;
  return operationNames.find((operation) => (bits & bitOf(operation)) !== 0)!;
}

const spiffe = 'User:spiffe://';

/** Returns all principals under which rules may apply to the caller. */
function spellings(principals: readonly string[]): string[] {
  const all = [...principals, anyPrincipal];
  for (const principal of principals) {
    if (!principal.startsWith(spiffe)) continue;
    const slash = principal.indexOf('/', spiffe.length);
    if (slash > spiffe.length && slash < principal.length - 1) all.push(`${principal.slice(0, slash)}/*`);
  }
  return all;
}
