import { breakingChanges } from '../../packages/controlplane/src/release-feed/breaking-changes.ts';

interface Notes {
  readonly release: string;
  readonly changelog: string;
  /** Names of the files of the release. */
  readonly artefacts: readonly string[];
}

/** The notes of a release: what changed, what operators have to do, and what there is to download. */
export function releaseNotes({ release, changelog, artefacts }: Notes): string {
  const heading = new RegExp(`^## ${release}(?: \\([^)]*\\))?$`, 'm').exec(changelog);
  if (heading === null) throw new Error(`CHANGELOG.md has no chapter ${release}`);
  const chapter = changelog.slice(heading.index + heading[0].length).split(/^## /m)[0]!;
  const required = breakingChanges.filter((change) => `v${change.release}` === release);
  return `# Weir ${release}

Paths in brackets are pages of the documentation, which a control plane serves at \`/docs\`.

## What to do

${
  required.length === 0
    ? 'Nothing beyond the steps of an upgrade (`operate/upgrade`).'
    : required.map(({ what, action }) => `- ${what} ${action}`).join('\n')
}

## Changes

${withPaths(chapter).trim()}

## Files

${artefacts.map((name) => `- \`${name}\``).join('\n')}

\`SHA256SUMS\` has the checksums, and \`weir-${release}.intoto.jsonl\` the commit that they were made of.
`;
}

/** Links of the repository become the paths of pages. */
function withPaths(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:)([^)\s]+)\)/g, (_, label: string, target: string) => {
    const path = target.replace(/^docs\//, '').replace(/\.md(?=#|$)/, '');
    return label.endsWith('.md') ? `\`${path}\`` : `${label} (\`${path}\`)`;
  });
}
