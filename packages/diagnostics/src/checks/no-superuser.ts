import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

export const noSuperuser = defineCheck({
  name: 'acls_without_superuser',
  type: 'security',
  source: 'control_plane',
  severity: 'high',
  title: 'ACLs are enforced without a superuser',
  observes: 'Whether a superuser credential exists while ACLs are enforced.',
  explanation: 'If the ACLs are wrong, no Kafka client is allowed to fix them.',
  fix: 'Create a superuser credential and keep it for emergencies.',
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ acls, credentials, cluster }) {
    if (acls === undefined) return { missing: 'ACLs' };
    if (credentials === undefined) return { missing: 'credentials' };
    if (acls.mode !== 'enforced' || credentials.some(({ isSuperuser }) => isSuperuser)) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `${counted(acls.ruleCount, 'ACL')} and ${counted(credentials.length, 'credential')}, no superuser.`,
        weight: 1,
      },
    ];
  },
});
