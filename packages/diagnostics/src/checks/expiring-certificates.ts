import { type CheckResult, defineCheck, type Finding, type Severity } from '../check.ts';
import { clusterKinds, type DiagnosticSnapshot, livingAgents } from '../diagnostic-snapshot.ts';
import { counted, duration, ending } from '../number-texts.ts';

const dayMs = 86_400_000;
const certificateMsMin = 30 * dayMs;
const certificateMsHigh = 7 * dayMs;

export const expiringCertificates = defineCheck({
  name: 'expiring_certificates',
  type: 'security',
  source: 'agent',
  severity: 'medium',
  title: 'Certificate expires soon',
  observes: `The expiry of the certificates that agents present: within ${duration(certificateMsMin)}; high within ${duration(certificateMsHigh)}; critical once expired.`,
  explanation: 'Once it has expired, TLS handshakes of clients and between agents fail.',
  fix: 'Renew the certificate and replace the one at -tlsServerCertFile or -tlsBlobURL; agents reload it without a restart.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 1, recoverAfterRuns: 2 },
  run: findExpiringCertificates,
});

function findExpiringCertificates(snapshot: DiagnosticSnapshot): CheckResult {
  const agents = livingAgents(snapshot);
  if (agents.every(({ certificates }) => certificates === undefined)) return { missing: 'certificates' };
  // Agents usually share a certificate, and after a renewal some may still have the old one: the earliest expiry
  // counts.
  const byName = Map.groupBy(
    agents.flatMap(({ certificates = [] }) => certificates),
    ({ name }) => name,
  );
  return [...byName].flatMap(([name, certificates]): Finding[] => {
    const soon = certificates.filter(({ expiresMs }) => expiresMs - snapshot.atMs < certificateMsMin);
    if (soon.length === 0) return [];
    const leftMs = Math.min(...soon.map(({ expiresMs }) => expiresMs)) - snapshot.atMs;
    return [
      {
        entity: { kind: 'certificate', name },
        message: `Certificate ${name} ${ending(leftMs)}; presented by ${counted(soon.length, 'agent')}.`,
        severity: severityOf(leftMs),
        weight: -leftMs,
      },
    ];
  });
}

function severityOf(leftMs: number): Severity | undefined {
  if (leftMs <= 0) return 'critical';
  return leftMs < certificateMsHigh ? 'high' : undefined;
}
