import { describeAcl } from '@weir/cluster';
import { defineCheck } from '../check.ts';

export const invalidAclRules = defineCheck({
  name: 'invalid_acls',
  type: 'security',
  source: 'control_plane',
  severity: 'medium',
  title: 'An ACL rule never matches anything',
  observes:
    'ACL rules that can never decide anything, while ACLs are tried out or enforced; enforced, it is high.',
  explanation:
    'The rule has no effect. Once ACLs are enforced, clients are denied what it should have allowed, or allowed what it should have denied.',
  fix: 'Delete the rule and make the one that was meant; the reason says what is wrong with it.',
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ acls }) {
    if (acls === undefined) return { missing: 'ACL rules' };
    if (acls.mode === 'off') return [];
    const severity = acls.mode === 'enforced' ? 'high' : undefined;
    return acls.invalid.map(({ acl, reason }) => {
      const rule = describeAcl(acl);
      return { entity: { kind: 'acl', name: rule }, message: `${rule}. ${reason}`, severity, weight: 1 };
    });
  },
});
