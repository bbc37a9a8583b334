import { defineCheck } from '../check.ts';
import { counted } from '../number-texts.ts';

export const noSuperuser = defineCheck({
  name: 'acls_without_superuser',
  type: 'security',
  source: 'control_plane',
  severity: 'high',
  title: 'ACLs are enforced and there is no superuser',
  observes: 'Whether any credential is that of a superuser while ACLs are enforced.',
  explanation: 'When the rules turn out to be wrong, no Kafka client may fix them.',
  fix: 'Make one credential that is a superuser and keep it for emergencies.',
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run({ acls, credentials, cluster }) {
    if (acls === undefined) return { missing: 'ACL rules' };
    if (credentials === undefined) return { missing: 'credentials' };
    if (acls.mode !== 'enforced' || credentials.some(({ isSuperuser }) => isSuperuser)) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `${counted(acls.ruleCount, 'rule')} and ${counted(credentials.length, 'credential')} are there, none of them a superuser's.`,
        weight: 1,
      },
    ];
  },
});
