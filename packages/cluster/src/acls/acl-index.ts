import {
  type Acl,
  type AclOperation,
  type AclPatternType,
  type AclPermission,
  type AclResourceType,
  aclOperations,
  type NeededOperation,
} from '@weir/core';
import { everyName } from './acl-filter.ts';

/** Whether somebody may do something. */
export interface AclQuestion {
  /** All names of the one who asks, as `User:name`. A rule about any of them is about him. */
  readonly principals: readonly string[];
  /** The address that he asks from. */
  readonly host: string;
  readonly operation: NeededOperation;
  readonly resourceType: AclResourceType;
  readonly resourceName: string;
}

export interface AclDecision {
  readonly isAllowed: boolean;
  /** The rule that decided; `undefined` when none is about it, and so nobody allowed it. */
  readonly rule: Acl | undefined;
}

/** Operations as bits, by the numbers that Kafka gives them. Every rule is one bit, so that rules can come and go one by one. */
interface Permits {
  allow: number;
  deny: number;
}

type PermitsByHost = Map<string, Permits>;

/** What rules about one principal say of the resources of one type. */
interface Patterns {
  readonly literal: Map<string, PermitsByHost>;
  readonly prefixed: Map<string, PermitsByHost>;
  /** How many prefixes have each hash, so that the beginnings of a name need not all be cut out to be looked up. */
  readonly prefixHashes: Map<number, number>;
}

const everybody = 'User:*';
const everyHost = '*';
const denied: AclDecision = { isAllowed: false, rule: undefined };

/**
 * The rules of a cluster, arranged so that a decision looks at those about one principal only.
 *
 * It decides as Apache Kafka does: whoever is denied anything by any rule may not, whatever others allow; `ALL` is every operation; who
 * may READ, WRITE, DELETE or ALTER may DESCRIBE, and who may ALTER_CONFIGS may DESCRIBE_CONFIGS; what no rule allows is denied.
 * Beyond Kafka, `User:spiffe://<trust domain>/*` is every workload of the domain, and a prefix `*` is no prefix of anything.
 */
export class AclIndex {
  readonly #byType = new Map<AclResourceType, Map<string, Patterns>>();

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

  /** What is not there can be deleted too. */
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
    // Nothing is left behind, so that rules which come and go do not add up.
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
   * Whether there is any name for which somebody may do something: whether some rule allows it that is not covered by one that
   * denies the same.
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

/** The look for rules that decide one question. It ends with the first that denies; of those that allow the first is kept. */
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

/** FNV-1a, of which 30 bits are kept: the largest numbers that a map finds fast. */
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

function sideOf(permission: AclPermission): keyof Permits {
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

/** What is allowed with something else. Nothing is denied with something else. */
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

/** The operation of a rule among several that decide alike: the one that was asked for before others. */
function firstOperation(bits: number, asked: NeededOperation): AclOperation {
  if ((bits & bitOf(asked)) !== 0) return asked;
  return operationNames.find((operation) => (bits & bitOf(operation)) !== 0)!;
}

const spiffe = 'User:spiffe://';

/** All principals of rules that are about somebody. */
function spellings(principals: readonly string[]): string[] {
  const all = [...principals, everybody];
  for (const principal of principals) {
    if (!principal.startsWith(spiffe)) continue;
    const slash = principal.indexOf('/', spiffe.length);
    if (slash > spiffe.length && slash < principal.length - 1) all.push(`${principal.slice(0, slash)}/*`);
  }
  return all;
}
