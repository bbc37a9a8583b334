import { AclIndex, type AclQuestion } from '@weir/cluster';
import type { Acl } from '@weir/core';

type Difference = 'principal' | 'resource' | 'operation' | 'host' | 'permission';

interface NearRule {
  readonly acl: Acl;
  /** The only field in which it differs. With another permission it is a rule that was overruled. */
  readonly differsIn: Difference;
}

const returnedMax = 10;
/** Limits the rules that are compared; those about the same name come first. */
const consideredMax = 5_000;

/**
 * Finds rules that would decide a request if one field were different: probably what the user meant. Each candidate is
 * tested with the code that decides, with that field set as in the request.
 */
export function nearRules(acls: readonly Acl[], question: AclQuestion): NearRule[] {
  const { isAllowed } = AclIndex.of(acls).decide(question);
  const near: NearRule[] = [];
  let consideredCount = 0;
  for (const acl of acls) {
    if (near.length === returnedMax || consideredCount === consideredMax) break;
    if (acl.resourceType !== question.resourceType) continue;
    consideredCount++;
    const differsIn = differenceOf(acl, question, isAllowed);
    if (differsIn !== undefined) near.push({ acl, differsIn });
  }
  return near;
}

function differenceOf(acl: Acl, question: AclQuestion, isAllowed: boolean): Difference | undefined {
  if (decides(acl, question)) return (acl.permission === 'ALLOW') === isAllowed ? undefined : 'permission';
  return differences.find((one) => decides({ ...acl, ...asInQuestion(one, question) }, question));
}

const differences = ['host', 'operation', 'resource', 'principal'] as const;

function asInQuestion(difference: (typeof differences)[number], question: AclQuestion): Partial<Acl> {
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
