import { describeAcl } from '@weir/cluster';
import { defineCheck } from '../check.ts';

export const invalidAclRules = defineCheck({
  name: 'invalid_acls',
  type: 'security',
  source: 'control_plane',
  severity: 'medium',
  title: 'ACL never matches',
  observes: 'ACLs that can never match a request, in shadow or enforced mode; high if enforced.',
  explanation:
    'The ACL has no effect: with ACLs enforced, clients are denied what it should allow, or allowed what it should deny.',
  fix: 'Delete the ACL and create the intended one; the message says what is wrong with it.',
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ acls }) {
    if (acls === undefined) return { missing: 'ACLs' };
    if (acls.mode === 'off') return [];
    const severity = acls.mode === 'enforced' ? 'high' : undefined;
    return acls.invalid.map(({ acl, reason }) => {
      const rule = describeAcl(acl);
      return { entity: { kind: 'acl', name: rule }, message: `${rule}. ${reason}`, severity, weight: 1 };
    });
  },
});
