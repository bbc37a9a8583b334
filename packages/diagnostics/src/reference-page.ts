import { apiLimits } from '@weir/api/limits';
import { avoidedReleases } from './avoided-releases.ts';
import { type CheckDescription, checkTypes } from './check.ts';
import { counted } from './number-texts.ts';
import { diagnostics } from './registry.ts';

/** The alerts of a release that often fire when a diagnostic fails, beside the one for all of them. */
type RelatedAlerts = (diagnostic: string) => readonly string[];

/** The reference page of diagnostics, as Markdown. */
export function diagnosticsPage(relatedAlerts: RelatedAlerts): string {
  const sections = [
    introduction,
    ...checkTypes.map((type) => {
      const parts = diagnostics
        .filter((check) => check.type === type)
        .map((check) => sectionOf(check, relatedAlerts(check.name)));
      return `## ${type}\n\n${parts.join('\n\n')}`;
    }),
    releaseSection(),
  ];
  return `${sections.join('\n\n')}\n`;
}

const introduction = `# Diagnostics

<!-- Written by scripts/docs.ts from packages/diagnostics. Change the checks, not this page. -->

The control plane runs ${diagnostics.length} checks on every cluster once a minute.

- A diagnostic fails after a number of consecutive runs with findings, and recovers after a number without; both are listed below.
- A run without data neither fails nor recovers a diagnostic.
- Responses hold at most ${apiLimits.diagnosticGroupsMax} findings per type, the most severe first, and the number of those omitted. The
  diagnostics themselves are always shown.
- The metric \`service_diagnostic_failure\` is 1 for a failing diagnostic and 0 for a passing one, with the tags
  \`diagnostic_name\`, \`diagnostic_type\`, \`severity_low\`, \`severity_medium\`, \`severity_high\`, \`severity_critical\` and \`muted\`. Exactly
  one of the severities is true while it fails, and none otherwise. A diagnostic without data has no series.
- A change is a \`diagnostics_logs\` event with \`diagnostic_id\`, \`diagnostic_source\`, \`diagnostic_type\` and \`transition\`: \`failed\`,
  \`recovered\`, \`muted\` or \`unmuted\`.

## Muted diagnostics

Diagnostics that are muted still fail and recover, without notifications. Mute one until a given time or until you unmute it, in the
console or with \`mute_diagnostic\` and \`unmute_diagnostic\` of the [API](api.md).`;

function sectionOf(check: CheckDescription, related: readonly string[]): string {
  const { name, title, severity, source, kinds, damping } = check;
  const { failAfterRuns, recoverAfterRuns } = damping;
  return `### ${name}

${title}. Severity ${severity}; fails after ${counted(failAfterRuns, 'run')}, recovers after ${counted(recoverAfterRuns, 'run')}; source: ${source.replaceAll('_', ' ')}; clusters: ${kinds.join(', ')}.

- **Checks:** ${check.observes}
- **Why:** ${check.explanation}
- **What to do:** ${check.fix}
- **Alerts:** ${alertsOf(severity, related)}`;
}

function alertsOf(severity: CheckDescription['severity'], related: readonly string[]): string {
  const names = [...(severity === 'low' ? [] : ['WeirDiagnosticFails']), ...related];
  if (names.length === 0) return '[none](../operate/runbooks.md#diagnostics)';
  return names.map((name) => `[${name}](../operate/runbooks.md#${name.toLowerCase()})`).join(', ');
}

function releaseSection(): string {
  const rows = avoidedReleases.map(({ from, to, reason, fixedIn }) => {
    const which = from === to ? `v${from}` : `v${from} to v${to}`;
    return `| ${which} | ${reason ?? ''} | ${fixedIn === undefined ? '' : `v${fixedIn}`} |`;
  });
  const head = '| Release | Known defect | Fixed in |\n|---|---|---|';
  return `## Releases to avoid\n\n${head}\n${rows.join('\n')}`;
}
