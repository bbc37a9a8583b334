import { apiLimits } from '@weir/api/limits';
import { avoidedReleases } from './avoided-releases.ts';
import { type CheckDescription, checkTypes } from './check.ts';
import { counted } from './number-texts.ts';
import { diagnostics } from './registry.ts';

/** The reference page of diagnostics, as Markdown. */
export function diagnosticsPage(): string {
  const sections = [
    introduction,
    ...checkTypes.map((type) => {
      const parts = diagnostics.filter((check) => check.type === type).map(sectionOf);
      return `## ${type}\n\n${parts.join('\n\n')}`;
    }),
    releaseSection(),
  ];
  return `${sections.join('\n\n')}\n`;
}

const introduction = `# Diagnostics

<!-- Written by scripts/docs.ts from packages/controlplane/src/diagnostics. Change the checks, not this page. -->

${diagnostics.length} checks that the control plane runs on every cluster once a minute.

- A diagnostic fails when enough runs in a row found something, and recovers when enough found nothing. The numbers are below.
- A run without data neither fails nor recovers a diagnostic.
- A muted diagnostic goes on failing and recovering, without notifications. Muting may have an end time.
- Answers show at most ${apiLimits.diagnosticGroupsMax} findings of a type, the most severe first, with the number of those left out. The
  diagnostics themselves are always shown.
- The metric \`service_diagnostic_failure\` is 1 for a diagnostic that fails and 0 for one that does not, with the tags
  \`diagnostic_name\`, \`diagnostic_type\`, \`severity_low\`, \`severity_medium\`, \`severity_high\`, \`severity_critical\` and \`muted\`. Exactly
  one of the severities is true while it fails, and none otherwise. One that has no data has no series.
- A change is a \`diagnostics_logs\` event with \`diagnostic_id\`, \`diagnostic_source\`, \`diagnostic_type\` and \`transition\`: \`failed\`,
  \`recovered\`, \`muted\` or \`unmuted\`.`;

function sectionOf(check: CheckDescription): string {
  const { name, title, severity, source, kinds, damping } = check;
  const { failAfterRuns, recoverAfterRuns } = damping;
  return `### ${name}

${title}. Severity ${severity}; fails after ${counted(failAfterRuns, 'run')}, recovers after ${counted(recoverAfterRuns, 'run')}; data of the ${source.replaceAll('_', ' ')}; clusters: ${kinds.join(', ')}.

- **Checks:** ${check.observes}
- **Why:** ${check.explanation}
- **What to do:** ${check.fix}`;
}

function releaseSection(): string {
  const rows = avoidedReleases.map(({ from, to, reason, fixedIn }) => {
    const which = from === to ? `v${from}` : `v${from} to v${to}`;
    return `| ${which} | ${reason ?? ''} | ${fixedIn === undefined ? '' : `v${fixedIn}`} |`;
  });
  const head = '| Release | Known fault | Without it from |\n|---|---|---|';
  return `## Releases to avoid\n\n${head}\n${rows.join('\n')}`;
}
