/** Lines of one diff that are printed. */
const diffLinesMax = 200;

/** The lines of a diff, as far as they are printed. */
export function linesOf(diff: string): string[] {
  if (diff === '') return [];
  const lines = diff.split('\n');
  const more = lines.length - diffLinesMax;
  return more > 0 ? [...lines.slice(0, diffLinesMax), `… ${more} more lines`] : lines;
}
