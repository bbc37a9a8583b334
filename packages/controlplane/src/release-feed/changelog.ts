/** One release in the changelog. */
interface ChangelogEntry {
  /** Of `v<N>`. */
  readonly release: number;
  /** Midnight of its release day; `undefined` for one that is not released yet. */
  readonly publishedMs: number | undefined;
  /** Markdown. */
  readonly notes: string;
}

const heading = /^## v(\d{1,9})(?: \((\d{4}-\d{2}-\d{2}|unreleased)\))?[ \t]*$/gm;

/**
 * Parses the releases of a changelog with headings such as `## v830 (2026-08-13)`, in its order. Text before the first
 * heading is skipped.
 */
export function readChangelog(markdown: string): readonly ChangelogEntry[] {
  const found = [...markdown.replaceAll('\r\n', '\n').matchAll(heading)];
  return found.map((match, index) => {
    const [line, release, date] = match;
    const publishedMs = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
    return {
      release: Number(release),
      publishedMs: Number.isNaN(publishedMs) ? undefined : publishedMs,
      notes: match.input.slice(match.index + line.length, found[index + 1]?.index).trim(),
    };
  });
}
