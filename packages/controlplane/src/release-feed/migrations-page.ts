import { markdownTable } from '@weir/core';
import { avoidedReleases } from '@weir/diagnostics';
import { breakingChanges } from './breaking-changes.ts';

/** Renders `docs/reference/migrations.md` from what the release feed says. */
export function migrationsPage(): string {
  return `# Migrations

<!-- Written by scripts/docs.ts from packages/controlplane/src/release-feed/breaking-changes.ts. -->

Agents are upgraded one at a time, beside agents of other releases. These releases changed something that operators
may have to act on; an upgrade over several releases needs all rows between them. The feed \`/agent-changelog.rss\` of
the control plane has the same list. The first release published here is v830. Rows of earlier numbers are for
installations that come from a service with the same flags and names.

${markdownTable(
  ['release', 'change', 'what to do'],
  breakingChanges.toReversed().map(({ release, what, action }) => [`v${release}`, what, action]),
)}

## Releases to avoid

${markdownTable(
  ['releases', 'known fault', 'use'],
  avoidedReleases.map(({ from, to, reason, fixedIn }) => [
    from === to ? `v${from}` : `v${from} to v${to}`,
    reason ?? 'not described',
    fixedIn === undefined ? 'another release' : `v${fixedIn} or later`,
  ]),
)}
`;
}
