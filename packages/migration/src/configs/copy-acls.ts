import type { AclResponse, KafkaAcl } from '@weir/client';
import { aclOperations, aclPatternTypes, aclPermissions } from '@weir/core';

/**
 * Which ACLs of the source are created here. They are added to those that there are, and none is deleted. Rights on the
 * cluster itself are not copied: the source must not make anyone an administrator here.
 */
export interface AclRules {
  /** Topics that are copied, with their names here. */
  readonly topics: readonly { readonly source: string; readonly destination: string }[];
  /** Prefixes that mappings put before names of topics, each once. */
  readonly topicPrefixes: readonly string[];
  readonly groupPrefix: string;
}

export interface AclOutcome {
  readonly acl: AclResponse;
  /** What is created here; empty if it is left out. */
  readonly created: readonly KafkaAcl[];
  /** Why it is left out, or what to know about it. */
  readonly note: string | undefined;
}

const everyName = '*';

export function copyAcls(acls: readonly AclResponse[], rules: AclRules): readonly AclOutcome[] {
  const destinations = new Map(rules.topics.map(({ source, destination }) => [source, destination]));
  const names = [...destinations.keys()].sort();
  return acls.map((acl) => {
    const problem = problemOf(acl);
    if (problem !== undefined) return { acl, created: [], note: problem };
    const places = placesOf(acl, rules, destinations, names);
    if (typeof places === 'string') return { acl, created: [], note: places };
    const created = places.map((place) => ({ ...acl, ...place }) as KafkaAcl);
    const isForAll = created.some(({ resourceName }) => resourceName === everyName);
    return {
      acl,
      created,
      note: isForAll ? 'it is for everything here, not only for what is copied' : undefined,
    };
  });
}

function problemOf({
  resourceType,
  patternType,
  operation,
  permission,
  principal,
}: AclResponse): string | undefined {
  if (resourceType === 'CLUSTER') return 'rights on the cluster are given here by its operators';
  if (!['TOPIC', 'GROUP', 'TRANSACTIONAL_ID'].includes(resourceType))
    return `there are no rights on ${resourceType} here`;
  const isKnown =
    Object.hasOwn(aclPatternTypes, patternType) &&
    Object.hasOwn(aclOperations, operation) &&
    Object.hasOwn(aclPermissions, permission);
  if (!isKnown) return 'it has a part that is not known here';
  return principal.startsWith('User:') ? undefined : 'only principals that begin with User: are known here';
}

type Place = Pick<AclResponse, 'resourceName' | 'patternType'>;

/** The resources here that an ACL of the source is about, or why there is none. */
function placesOf(
  { resourceType, resourceName, patternType }: AclResponse,
  { topicPrefixes, groupPrefix }: AclRules,
  destinations: ReadonlyMap<string, string>,
  names: readonly string[],
): readonly Place[] | string {
  if (resourceType === 'TRANSACTIONAL_ID') return [{ resourceName, patternType }];
  if (resourceType === 'GROUP') return [prefixed(resourceName, patternType, groupPrefix)];
  if (patternType === 'LITERAL' && resourceName !== everyName) {
    const destination = destinations.get(resourceName);
    return destination === undefined
      ? 'the topic is not copied'
      : [{ resourceName: destination, patternType }];
  }
  if (resourceName === everyName && patternType === 'LITERAL')
    return topicPrefixes.map((prefix) => prefixed(resourceName, patternType, prefix));
  const found = new Set<string>();
  for (let at = lowerBound(names, resourceName); names[at]?.startsWith(resourceName); at++) {
    const name = names[at]!;
    const destination = destinations.get(name)!;
    found.add(destination.slice(0, destination.length - name.length) + resourceName);
  }
  if (found.size === 0) return 'no topic that begins so is copied';
  return [...found].map((name) => ({ resourceName: name, patternType }));
}

/** A right on every name is one on those that begin with the prefix. */
function prefixed(resourceName: string, patternType: string, prefix: string): Place {
  if (prefix === '') return { resourceName, patternType };
  return resourceName === everyName && patternType === 'LITERAL'
    ? { resourceName: prefix, patternType: 'PREFIXED' }
    : { resourceName: prefix + resourceName, patternType };
}

/** The first of sorted names that is not below this one. */
function lowerBound(names: readonly string[], wanted: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (names[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
