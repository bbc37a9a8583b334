import { apiLimits } from '@weir/api/limits';
import {
  type AclDecision,
  AclIndex,
  type AclQuestion,
  type CredentialDescription,
  type NamedPrincipal,
  principalOfCredential,
} from '@weir/cluster';
import type { Acl } from '@weir/core';

/** A request about all principals at once. */
export interface AccessQuestion extends Omit<AclQuestion, 'principals'> {
  /** Whether it is about one address; otherwise about those that no rule names. */
  readonly isHostGiven: boolean;
}

export interface PrincipalAccess extends AclDecision {
  /** The preferred name in rules: that of its credential, if it has one. */
  readonly principal: string;
  readonly isSuperuser: boolean;
  /** Addresses in rules for which the decision differs. */
  readonly otherHosts: readonly string[];
}

export interface WhoMay {
  /** All principals that are not named below. */
  readonly everybodyElse: PrincipalAccess;
  /** Superusers, and principals named by a rule about the resource: allowed ones first, then by name. */
  readonly named: readonly PrincipalAccess[];
  readonly namedCount: number;
}

/** What is needed of a credential. */
export type AccessCredential = Pick<CredentialDescription, 'username' | 'name' | 'isSuperuser'>;

export const everybody = 'User:*';
/** A placeholder that matches no address in a rule. */
export const unnamedHost = 'an address that no rule names';
const everyHost = '*';
/** Addresses of one principal that are evaluated, and those that are returned. */
const hostsConsideredMax = 100;
const hostsShownMax = 10;
/** Rules or principals that are evaluated before other work runs: some milliseconds. */
const evaluationsPerTurn = 500;

/**
 * Lists which principals may do something, with the code that decides about one. It evaluates only superusers and
 * principals named by rules about the resource: all others share one answer. There may be 50,000 rules, so it calls
 * `pause` periodically.
 */
export async function whoMay(
  acls: readonly Acl[],
  { isHostGiven, ...question }: AccessQuestion,
  credentials: readonly AccessCredential[],
  pause: () => Promise<void>,
): Promise<WhoMay> {
  let evaluated = 0;
  const pauseNowAndThen = async () => {
    if (++evaluated % evaluationsPerTurn === 0) await pause();
  };
  const about: Acl[] = [];
  for (const acl of acls) {
    await pauseNowAndThen();
    if (isAbout(acl, question)) about.push(acl);
  }
  const index = AclIndex.of(about);
  const hostsOf = hostsByPrincipal(about);
  const decide = ({ principal, names, isSuperuser }: NamedPrincipal): PrincipalAccess => {
    const decided = index.decide({ ...question, principals: names });
    return { principal, isSuperuser, ...decided, otherHosts: [] };
  };
  const withHosts = (found: PrincipalAccess, { names, isSuperuser }: NamedPrincipal): PrincipalAccess => {
    if (isSuperuser || isHostGiven) return found;
    const hosts = new Set(ruledAs(names).flatMap((name) => [...(hostsOf.get(name) ?? [])]));
    const others = [...hosts].filter(
      (host) => index.decide({ ...question, principals: names, host }).isAllowed !== found.isAllowed,
    );
    return { ...found, otherHosts: others.sort().slice(0, hostsShownMax) };
  };
  const known: { readonly one: NamedPrincipal; readonly found: PrincipalAccess }[] = [];
  for (const one of principalsIn(about, credentials)) {
    await pauseNowAndThen();
    known.push({ one, found: decide(one) });
  }
  known.sort((a, b) => rankOf(a.found) - rankOf(b.found) || (a.one.principal < b.one.principal ? -1 : 1));
  const anyPrincipal: NamedPrincipal = { principal: everybody, names: [everybody], isSuperuser: false };
  const named: PrincipalAccess[] = [];
  for (const { one, found } of known.slice(0, apiLimits.explainedPrincipalsMax)) {
    // Each is evaluated from up to a hundred addresses.
    await pause();
    named.push(withHosts(found, one));
  }
  return {
    everybodyElse: withHosts(decide(anyPrincipal), anyPrincipal),
    named,
    namedCount: known.length,
  };
}

/**
 * Returns the principals in rules that apply to these names: the names, `User:*`, and all workloads of the trust
 * domain.
 */
function ruledAs(names: readonly string[]): string[] {
  const domains = names.flatMap((name) => /^User:spiffe:\/\/[^/]+\//.exec(name) ?? []);
  return [...names, everybody, ...domains.map((domain) => `${domain}*`)];
}

function principalsIn(about: readonly Acl[], credentials: readonly AccessCredential[]): NamedPrincipal[] {
  const named = new Set(about.map(({ principal }) => principal));
  named.delete(everybody);
  const found: NamedPrincipal[] = [];
  for (const principal of credentials.map(principalOfCredential)) {
    const isNamed = principal.names.filter((spelling) => named.delete(spelling)).length > 0;
    if (isNamed || principal.isSuperuser) found.push(principal);
  }
  for (const principal of named) found.push({ principal, names: [principal], isSuperuser: false });
  return found;
}

/** Whether a rule decides the request for its principal and host. */
function isAbout(acl: Acl, question: Omit<AclQuestion, 'principals'>): boolean {
  const { resourceType, patternType, resourceName, host } = acl;
  if (resourceType !== question.resourceType) return false;
  const name = question.resourceName;
  const isOfName =
    patternType === 'PREFIXED'
      ? name.startsWith(resourceName)
      : resourceName === name || resourceName === '*';
  if (!isOfName) return false;
  const itself = { ...question, principals: [acl.principal], host };
  return AclIndex.of([acl]).decide(itself).rule !== undefined;
}

function hostsByPrincipal(about: readonly Acl[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { principal, host } of about) {
    if (host === everyHost) continue;
    const hosts = found.get(principal) ?? new Set();
    if (hosts.size < hostsConsideredMax) found.set(principal, hosts.add(host));
  }
  return found;
}

function rankOf({ isSuperuser, isAllowed, rule }: PrincipalAccess): number {
  if (isSuperuser || isAllowed) return 0;
  return rule === undefined ? 1 : 2;
}
