/** One release, as the changelog tells of it. */
interface ChangelogEntry {
  /** Of `v<N>`. */
  readonly release: number;
  /** Midnight of the day of its release; `undefined` for one that is not out yet. */
  readonly publishedMs: number | undefined;
  /** Markdown. */
  readonly notes: string;
}

const heading = /^## v(\d{1,9})(?: \((\d{4}-\d{2}-\d{2}|unreleased)\))?[ \t]*$/gm;

/**
 * The releases of a changelog whose headings are `## v830 (2026-08-13)`, in its order. What stands before the first is
 * no release.
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
