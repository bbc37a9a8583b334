import { AclIndex, type AclQuestion } from '@weir/cluster';
import type { Acl } from '@weir/core';

type Difference = 'principal' | 'resource' | 'operation' | 'host' | 'permission';

interface NearRule {
  readonly acl: Acl;
  /** The only thing in which it says something else. With another permission it is a rule that was overruled. */
  readonly differsIn: Difference;
}

const toldMax = 10;
/** Limits the rules that are compared; those about the name come first. */
const consideredMax = 5_000;

/**
 * Rules that would decide a question if one thing about them were different: what the user probably meant, or took for
 * granted. Whether one would is asked of the code that decides, with a rule in which that thing is as in the question.
 */
export function nearRules(acls: readonly Acl[], question: AclQuestion): NearRule[] {
  const { isAllowed } = AclIndex.of(acls).decide(question);
  const near: NearRule[] = [];
  let consideredCount = 0;
  for (const acl of acls) {
    if (near.length === toldMax || consideredCount === consideredMax) break;
    if (acl.resourceType !== question.resourceType) continue;
    consideredCount++;
    const differsIn = differenceOf(acl, question, isAllowed);
    if (differsIn !== undefined) near.push({ acl, differsIn });
  }
  return near;
}

function differenceOf(acl: Acl, question: AclQuestion, isAllowed: boolean): Difference | undefined {
  if (decides(acl, question)) return (acl.permission === 'ALLOW') === isAllowed ? undefined : 'permission';
  return differences.find((one) => decides({ ...acl, ...asAsked(one, question) }, question));
}

const differences = ['host', 'operation', 'resource', 'principal'] as const;

function asAsked(difference: (typeof differences)[number], question: AclQuestion): Partial<Acl> {
  switch (difference) {
    case 'principal':
      return { principal: question.principals[0]! };
    case 'resource':
      return { resourceName: question.resourceName, patternType: 'LITERAL' };
    case 'operation':
      return { operation: question.operation };
    case 'host':
      return { host: '*' };
  }
}

function decides(acl: Acl, question: AclQuestion): boolean {
  return AclIndex.of([acl]).decide(question).rule !== undefined;
}
