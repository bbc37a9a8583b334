import { diagnostics } from '../../packages/diagnostics/src/registry.ts';
import { type AlertRule, alertRules } from './alert-rules.ts';

/** A runbook for each alert, and where that of each diagnostic is. */
export function runbooksPage(): string {
  return `# Runbooks

<!-- Written by scripts/docs.ts from scripts/monitoring/alert-rules.ts and packages/diagnostics. Change those, not this page. -->

What each alert of a release means, what to look at, and what to do. The rules are a file for Prometheus,
\`deploy/helm/weir/monitoring/alerts.yaml\`, which a release also publishes beside its archives; every alert names its
section here in the annotation \`runbook\`. [Monitoring](monitoring.md) says how to load them.

${alertRules.map(sectionOf).join('\n\n')}

## Diagnostics

WeirDiagnosticFails fires for each of them but those of low severity. The section of a diagnostic is its runbook: what
is checked, why it matters, and what to do.

| diagnostic | severity | other alerts |
|---|---|---|
${diagnostics.map(rowOf).join('\n')}
`;
}

function sectionOf(rule: AlertRule): string {
  const related = rule.diagnostics.map((name) => `[${name}](../reference/diagnostics.md#${name})`);
  return `## ${rule.name}

Severity ${rule.severity}. ${rule.means}

\`\`\`promql
${rule.expression}
\`\`\`

It fires ${rule.holdsFor === '0m' ? 'at once' : `after ${rule.holdsFor}`}.${related.length === 0 ? '' : ` Diagnostics that often fail with it: ${related.join(', ')}.`}

${rule.look.map((step, at) => `${at + 1}. ${step}`).join('\n')}

**What to do:** ${rule.remedy}`;
}

/** The alerts that often fire when a diagnostic fails, beside the one for all of them. */
export function relatedAlerts(diagnostic: string): readonly string[] {
  return alertRules
    .filter((rule) => rule.diagnostics.some((one) => one === diagnostic))
    .map((rule) => rule.name);
}

function rowOf({ name, severity }: (typeof diagnostics)[number]): string {
  const others = relatedAlerts(name).map((alert) => `[${alert}](#${alert.toLowerCase()})`);
  return `| [${name}](../reference/diagnostics.md#${name}) | ${severity} | ${others.join(', ')} |`;
}
