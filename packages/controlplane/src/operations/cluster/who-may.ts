import { apiLimits } from '@weir/api/limits';
import type { Acl } from '@weir/core';
import {
  type AclDecision,
  AclIndex,
  type AclQuestion,
  type CredentialDescription,
  credentialSpellings,
} from '@weir/metadata';

/** A question about all principals at once. */
export interface AccessQuestion extends Omit<AclQuestion, 'principals'> {
  /** Whether it is about one address; else about those that no rule names. */
  readonly isHostGiven: boolean;
}

export interface PrincipalAccess extends AclDecision {
  /** As rules call it best: by the name of its credential, if it has one. */
  readonly principal: string;
  readonly isSuperuser: boolean;
  /** Addresses in rules from which the rules decide otherwise. */
  readonly otherHosts: readonly string[];
}

export interface WhoMay {
  /** All principals that nothing below names. */
  readonly everybodyElse: PrincipalAccess;
  /** Superusers, and principals that a rule about it names: those who may first, by name. */
  readonly named: readonly PrincipalAccess[];
  readonly namedCount: number;
}

export const everybody = 'User:*';
const everyHost = '*';
/** Addresses of one principal that are looked at, and those that are told. */
const hostsConsideredMax = 100;
const hostsShownMax = 10;
const userKind = 'User:';

/**
 * Who may do something, by the code that decides about one. Only superusers and principals of rules about it are
 * checked: all others have the same answer.
 */
export function whoMay(
  acls: readonly Acl[],
  { isHostGiven, ...question }: AccessQuestion,
  credentials: readonly CredentialDescription[],
): WhoMay {
  const about = acls.filter((acl) => isAbout(acl, question));
  const index = AclIndex.of(about);
  const hostsOf = hostsByPrincipal(about);
  const decide = ({ principal, names, isSuperuser }: Known): PrincipalAccess => {
    const decided = index.decide({ ...question, principals: names });
    return { principal, isSuperuser, ...decided, otherHosts: [] };
  };
  const withHosts = (found: PrincipalAccess, { names, isSuperuser }: Known): PrincipalAccess => {
    if (isSuperuser || isHostGiven) return found;
    const hosts = new Set(ruledAs(names).flatMap((name) => [...(hostsOf.get(name) ?? [])]));
    const others = [...hosts].filter(
      (host) => index.decide({ ...question, principals: names, host }).isAllowed !== found.isAllowed,
    );
    return { ...found, otherHosts: others.sort().slice(0, hostsShownMax) };
  };
  const known = principalsIn(about, credentials).map((one) => ({ one, found: decide(one) }));
  known.sort((a, b) => rankOf(a.found) - rankOf(b.found) || (a.one.principal < b.one.principal ? -1 : 1));
  const anybody: Known = { principal: everybody, names: [everybody], isSuperuser: false };
  return {
    everybodyElse: withHosts(decide(anybody), anybody),
    named: known.slice(0, apiLimits.explainedPrincipalsMax).map(({ one, found }) => withHosts(found, one)),
    namedCount: known.length,
  };
}

/** Principals of rules that apply to these names: the names, `User:*`, and all workloads of the trust domain. */
function ruledAs(names: readonly string[]): string[] {
  const domains = names.flatMap((name) => /^User:spiffe:\/\/[^/]+\//.exec(name) ?? []);
  return [...names, everybody, ...domains.map((domain) => `${domain}*`)];
}

interface Known {
  readonly principal: string;
  /** All names under which rules speak of it. */
  readonly names: readonly string[];
  readonly isSuperuser: boolean;
}

function principalsIn(about: readonly Acl[], credentials: readonly CredentialDescription[]): Known[] {
  const named = new Set(about.map(({ principal }) => principal));
  named.delete(everybody);
  const found: Known[] = [];
  for (const { username, name, isSuperuser } of credentials) {
    const names = credentialSpellings(username, name).map((spelling) => userKind + spelling);
    const isNamed = names.filter((spelling) => named.delete(spelling)).length > 0;
    if (isNamed || isSuperuser) found.push({ principal: userKind + name, names, isSuperuser });
  }
  for (const principal of named) found.push({ principal, names: [principal], isSuperuser: false });
  return found;
}

/** Whether a rule decides the question for its principal and host. */
function isAbout(acl: Acl, question: Omit<AclQuestion, 'principals'>): boolean {
  const { resourceType, patternType, resourceName, host } = acl;
  if (resourceType !== question.resourceType) return false;
  const asked = question.resourceName;
  const isOfName =
    patternType === 'PREFIXED'
      ? asked.startsWith(resourceName)
      : resourceName === asked || resourceName === '*';
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
